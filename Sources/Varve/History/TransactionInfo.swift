public import Foundation
public import VarveEvents

/// What a transaction says about itself.
public struct TransactionInfo: Sendable, Hashable {
    /// What a transaction is for.
    public typealias Kind = TransactionPurpose

    /// The number of the transaction.
    public let id: TransactionID
    /// When it was written, by the writer's clock.
    public let time: Date
    /// What the transaction is for.
    public let kind: Kind
    /// Whether it is, or was, a step that can be undone.
    public let isUndoable: Bool
    /// What it does, for people, as the writer said it.
    public let label: String?
    /// The undo stack that it belongs to; nil for the stack of writes without a scope.
    public let scope: String?
    /// The group of transactions that are one undo step; nil without one.
    public let group: String?
    /// Who made the change, as the writer said it.
    public let author: String?
    /// What else the writer kept with it.
    public let metadata: [String: String]
}

extension TransactionInfo {
    init(_ header: TransactionHeader) {
        id = header.id
        time = header.time.date
        kind = header.purpose
        isUndoable = header.isUndoable
        label = header.label
        scope = header.scope
        group = header.group
        author = header.author
        metadata = header.metadata
    }
}
