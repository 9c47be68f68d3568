/// The transactions of a log, one after the other. Reads them segment by segment and a page at a
/// time, so its memory does not grow with the log.
public struct TransactionWalk: ~Copyable {
    /// The direction of a walk.
    public enum Order: Hashable, Sendable {
        /// From the newest transaction to the oldest, or the other way.
        case newestFirst, oldestFirst
    }

    private static let pageCountMax = 64

    private let inspection: Inspection
    private let order: Order
    private let filter: TransactionFilter
    /// Positions of the segments still to read, the next one last.
    private var segments: [Int]
    /// Where the current segment goes on; nil at its start.
    private var resume: LogSequence?
    /// What was read and not yet delivered, the next one last.
    private var page: [TransactionSummary] = []
    /// Small at first, so that reading only the newest transaction does not cost a page.
    private var pageCount = 2
    /// What ended the reading, delivered after the page.
    private var failure: InspectionError?

    init(_ inspection: Inspection, order: Order, filter: TransactionFilter) {
        self.inspection = inspection
        self.order = order
        self.filter = filter
        let admitted = inspection.snapshot.segments.indices.filter {
            filter.admits(inspection.snapshot.segments[$0])
        }
        segments = order == .newestFirst ? admitted : admitted.reversed()
    }

    /// The next transaction, nil behind the last. What comes before a damaged place is delivered
    /// before the error is thrown.
    public mutating func next() throws(InspectionError) -> TransactionSummary? {
        while page.isEmpty, failure == nil, let position = segments.last {
            fill(fromSegmentAt: position)
        }
        if let transaction = page.popLast() { return transaction }
        guard let failure else { return nil }
        segments = []
        self.failure = nil
        throw failure
    }

    private mutating func fill(fromSegmentAt position: Int) {
        var read: [TransactionSummary] = []
        do throws(InspectionError) {
            let end = try readPage(fromSegmentAt: position, into: &read)
            resume = end
            if end == nil { segments.removeLast() }
        } catch {
            failure = error
        }
        page = read.reversed()
        pageCount = min(pageCount * 2, Self.pageCountMax)
    }

    /// Reads until the page is full or the segment ends. Returns where to go on in the segment, nil
    /// at its end.
    private func readPage(
        fromSegmentAt position: Int, into read: inout [TransactionSummary]
    ) throws(InspectionError) -> LogSequence? {
        guard let admitted = filter.range(in: inspection.snapshot.segments[position]) else {
            return nil
        }
        let catalog = try inspection.catalog(ofSegmentAt: position)
        let (filter, pageCount) = (filter, pageCount)
        var last: LogSequence?
        func visit(_ logged: LoggedTransaction) throws(InspectionError) -> Bool {
            let summary = try TransactionSummary(
                logged, try TransactionView(of: logged), catalog: catalog)
            if filter.admits(summary) { read.append(summary) }
            last = logged.sequence
            return read.count < pageCount
        }
        do throws(ReplayFailure<InspectionError>) {
            switch order {
            case .newestFirst:
                try inspection.reader.forEachNewestFirst(from: resume ?? admitted.upperBound) {
                    logged throws(InspectionError) in
                    let goesOn = try visit(logged)
                    return goesOn && logged.sequence > admitted.lowerBound
                }
            case .oldestFirst:
                try inspection.reader.forEachOldestFirst(from: resume ?? admitted.lowerBound) {
                    logged throws(InspectionError) in
                    let goesOn = try visit(logged)
                    return goesOn && logged.sequence < admitted.upperBound
                }
            }
        } catch {
            throw error.inspectionError
        }
        return last.flatMap { following($0, in: admitted) }
    }

    private func following(
        _ last: LogSequence, in admitted: ClosedRange<LogSequence>
    ) -> LogSequence? {
        switch order {
        case .newestFirst:
            last > admitted.lowerBound ? LogSequence(last.rawValue - 1) : nil
        case .oldestFirst: last < admitted.upperBound ? last.next : nil
        }
    }
}
