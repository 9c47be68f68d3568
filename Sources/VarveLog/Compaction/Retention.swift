internal import VarveText

/// How much history a store keeps behind its newest checkpoint.
///
/// What is kept can be shown, compared and undone; what is not was folded into a checkpoint.
/// Files go as a whole, so more may be left for a while than the policy asks for.
public enum Retention: Hashable, Sendable {
    /// The newest so many transactions.
    case transactions(UInt64)
    /// Transactions younger than this many seconds, and always the newest hundred. Ages are counted
    /// from the smaller of now and the newest transaction's time, so that a clock which runs ahead
    /// drops nothing.
    case age(seconds: UInt64)
    /// All that there is.
    case everything
    /// Nothing but the newest state.
    case newestState

    /// The last 10,000 transactions.
    public static let standard = Retention.transactions(10_000)
}

extension Retention: CustomStringConvertible {
    /// What is kept, in words.
    public var description: String {
        switch self {
        case .transactions(let count): "the last \(count.counted("transaction"))"
        case .age(let seconds): "the last \(seconds.counted("second"))"
        case .everything: "everything"
        case .newestState: "nothing but the newest state"
        }
    }
}

extension Retention {
    /// How the manifest says it: a kind and a value. Kind 0 stands for "not said yet".
    var code: (kind: UInt32, value: UInt64) {
        switch self {
        case .transactions(let count): (1, count)
        case .age(let seconds): (2, seconds)
        case .everything: (3, 0)
        case .newestState: (4, 0)
        }
    }

    /// Nil for kinds that this version does not know: it then keeps what its user says.
    init?(kind: UInt32, value: UInt64) {
        switch kind {
        case 1: self = .transactions(value)
        case 2: self = .age(seconds: value)
        case 3: self = .everything
        case 4: self = .newestState
        default: return nil
        }
    }
}

extension Retention {
    private static let agedTransactionsMin: UInt64 = 100

    /// The policy that keeps so many transactions more, where it counts them, but not more than three times as
    /// many: undoing and redoing one step again and again must not make the log grow for ever.
    func longer(by count: UInt64) -> Retention {
        guard case .transactions(let kept) = self, kept < UInt64.max / 3 else { return self }
        return .transactions(kept + min(count, 2 * kept))
    }

    /// The first transaction that the policy keeps, of a log whose last is `last`.
    func floor(
        of snapshot: LogSnapshot, through last: LogSequence, now: Int64
    ) throws(LogError) -> LogSequence {
        switch self {
        case .everything: return snapshot.firstSequence
        case .newestState: return last.following
        case .transactions(let count): return last.following.earlier(by: count)
        case .age(let seconds):
            let always = last.following.earlier(by: Self.agedTransactionsMin)
            let age = Int64(clamping: min(seconds, UInt64(Int64.max) / 1_000_000) * 1_000_000)
            let youngest = snapshot.newestTime(through: last) ?? now
            let (cutoff, overflow) = min(now, youngest).subtractingReportingOverflow(age)
            guard !overflow else { return snapshot.firstSequence }
            return min(always, try snapshot.first(notOlderThan: cutoff) ?? always)
        }
    }
}

extension LogSequence {
    /// The number after this one. Numbers of segments stay far below the end of the range.
    var following: LogSequence { LogSequence(rawValue &+ 1) }

    func earlier(by count: UInt64) -> LogSequence {
        LogSequence(rawValue > count ? rawValue - count : 1)
    }
}

extension LogSnapshot {
    /// The latest time of a transaction up to `last`.
    fileprivate func newestTime(through last: LogSequence) -> Int64? {
        var newest: Int64?
        for segment in segments where segment.transactions > 0 {
            if let footer = segment.footer, segment.lastSequence <= last {
                newest = max(newest ?? footer.latestTime, footer.latestTime)
            }
        }
        return newest
    }

    /// The first transaction whose time is `cutoff` or later. Sealed segments say by themselves
    /// whether they hold one; of the first that does, the frame headers are read.
    fileprivate func first(notOlderThan cutoff: Int64) throws(LogError) -> LogSequence? {
        for segment in segments where segment.transactions > 0 {
            if let footer = segment.footer, footer.latestTime < cutoff { continue }
            var cursor = try segment.cursor(
                in: fileSystem, blockBytes: SegmentWindow.randomBlockBytes)
            walk: while true {
                switch try cursor.nextHeader() {
                case .frame(let frame):
                    guard frame.header.isTransactionStart, frame.header.time >= cutoff else {
                        continue walk
                    }
                    return frame.header.sequence
                case .stopped(let stop): throw stop.error
                case .end: break walk
                }
            }
        }
        return nil
    }
}
