public import VarveEvents
public import VarveGraph

/// What a feed delivers.
public enum StoreChangeEvent: Sendable {
    /// The next durable transaction of the log.
    case transaction(StoreChange)
    /// The log ends before the token's transaction, as one does that was restored from a backup: what
    /// was taken behind this token is not part of it. The feed goes on from here.
    case rewound(to: ChangeToken)
    /// What follows the token is not kept any more, or the log is another one from some transaction
    /// on: start again from the state that comes along. The feed goes on behind it.
    case gap(ChangeGap)
}

/// A state to start from where changes are missing.
public struct ChangeGap: Sendable {
    /// The oldest transaction that the feed could have told.
    public let floor: TransactionID
    /// The state behind the token's transaction.
    public let context: Context
    /// Where the feed goes on behind the gap.
    public let token: ChangeToken
}

extension StoreChangeEvent {
    /// Where to go on behind this event.
    public var token: ChangeToken {
        switch self {
        case .transaction(let change): change.token
        case .rewound(let token): token
        case .gap(let gap): gap.token
        }
    }
}
