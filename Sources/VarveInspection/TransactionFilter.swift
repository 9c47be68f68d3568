/// Which transactions a walk delivers.
public struct TransactionFilter: Hashable, Sendable {
    /// A border between transactions.
    public enum Bound: Hashable, Sendable {
        /// This transaction, which is itself left out.
        case transaction(TransactionID)
        /// This moment, by the clocks of the writers.
        case moment(Moment)
    }

    /// Only transactions later than this.
    public var after: Bound?
    /// Only transactions earlier than this.
    public var before: Bound?

    /// Delivers what lies between two bounds; nil is no bound.
    public init(after: Bound? = nil, before: Bound? = nil) {
        self.after = after
        self.before = before
    }
}

extension TransactionFilter {
    func admits(_ transaction: TransactionSummary) -> Bool {
        admits(ids: transaction.id...transaction.id)
            && admits(times: transaction.time...transaction.time)
    }

    /// Whether a segment can hold what is looked for. Times are not in order, so a segment is
    /// passed over only when its footer says that all of its times are outside.
    func admits(_ segment: SegmentEntry) -> Bool {
        guard segment.transactions > 0, range(in: segment) != nil else { return false }
        guard let footer = segment.footer, footer.earliestTime <= footer.latestTime else {
            return true
        }
        return admits(
            times: Moment(
                microseconds: footer.earliestTime)...Moment(microseconds: footer.latestTime))
    }

    /// The transactions of a segment between the bounds: no other need be read. Nil where there are none.
    func range(in segment: SegmentEntry) -> ClosedRange<LogSequence>? {
        var (first, last) = (segment.header.firstSequence.rawValue, segment.lastSequence.rawValue)
        if case .transaction(let bound) = after {
            guard bound.rawValue < .max else { return nil }
            first = max(first, bound.rawValue + 1)
        }
        if case .transaction(let bound) = before {
            guard bound > 0 else { return nil }
            last = min(last, bound.rawValue - 1)
        }
        return first <= last ? LogSequence(first)...LogSequence(last) : nil
    }

    private func admits(ids: ClosedRange<TransactionID>) -> Bool {
        if case .transaction(let bound) = after, ids.upperBound <= bound { return false }
        if case .transaction(let bound) = before, ids.lowerBound >= bound { return false }
        return true
    }

    private func admits(times: ClosedRange<Moment>) -> Bool {
        if case .moment(let bound) = after, times.upperBound <= bound { return false }
        if case .moment(let bound) = before, times.lowerBound >= bound { return false }
        return true
    }
}
