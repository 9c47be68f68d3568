package import VarveLog

/// The transactions that a store gains while one looks, each with its events counted. Takes no
/// lock and changes nothing; see `LogFollower` for what is seen beside a writer. Belongs to one
/// thread.
public final class TransactionFollower {
    /// What a follower reports.
    public enum Event: Hashable, Sendable {
        /// The next transaction of the log.
        case transaction(TransactionSummary)
        /// The transactions behind that one, which no writer had promised, are not part of the log
        /// any more.
        case rewound(to: TransactionID)
        /// The transactions through that one were dropped by a compaction before they were reported.
        case missed(through: TransactionID)
    }

    private static let pageCountMax = 256

    private let fileSystem: any FileSystem
    private var log: LogFollower
    private var collector: DefinitionCollector
    private var last: TransactionID
    /// What was there at the start and is not reported yet.
    private var backlog: [Event]

    /// Follows a store, beginning with the newest `count` of the transactions that are there.
    public convenience init(at path: String, newest count: UInt64) throws(InspectionError) {
        try self.init(ReadObservation.fileSystem(at: path), newest: count)
    }

    package init(_ fileSystem: any FileSystem, newest count: UInt64) throws(InspectionError) {
        self.fileSystem = fileSystem
        let inspection = try Inspection(fileSystem)
        (log, collector) = try Self.start(inspection)
        last = inspection.lastTransaction
        var newest: [Event] = []
        var walk = inspection.transactions(.newestFirst)
        while UInt64(newest.count) < count, let transaction = try walk.next() {
            newest.append(.transaction(transaction))
        }
        backlog = newest.reversed()
    }

    /// What is new since the last call; empty where nothing is. At most a page of it: call again
    /// until it is empty.
    public func next() throws(InspectionError) -> [Event] {
        if !backlog.isEmpty {
            defer { backlog = [] }
            return backlog
        }
        var events: [Event] = []
        let outcome: LogFollower.Outcome
        do throws(ReplayFailure<InspectionError>) {
            outcome = try log.poll(limit: Self.pageCountMax) { record throws(InspectionError) in
                try collector.take(record)
                guard case .transaction(let logged) = record else { return }
                events.append(
                    .transaction(
                        try TransactionSummary(
                            logged, try TransactionView(of: logged), catalog: collector.catalog)))
            }
        } catch {
            throw error.inspectionError
        }
        if case .transaction(let newest) = events.last { last = newest.id }
        switch outcome {
        case .upToDate, .more: break
        case .rewound(let sequence):
            last = TransactionID(sequence.rawValue)
            events.append(.rewound(to: last))
            try restart(&events)
        case .gap: try restart(&events)
        }
        return events
    }

    /// Begins again in a log that took another course, or lost its oldest part.
    private func restart(_ events: inout [Event]) throws(InspectionError) {
        let inspection = try Inspection(fileSystem)
        (log, collector) = try Self.start(inspection)
        let first = inspection.firstTransaction
        if last.rawValue &+ 1 < first.rawValue {
            last = TransactionID(first.rawValue - 1)
            events.append(.missed(through: last))
        }
        var walk = inspection.transactions(
            .oldestFirst, filter: TransactionFilter(after: .transaction(last)))
        while let transaction = try walk.next() { backlog.append(.transaction(transaction)) }
        last = max(last, inspection.lastTransaction)
    }

    private static func start(
        _ inspection: Inspection
    ) throws(InspectionError) -> (LogFollower, DefinitionCollector) {
        let follower = try InspectionError.wrapping { () throws(LogError) in
            try LogFollower(inspection.scanned)
        }
        let position = inspection.snapshot.segments.count - 1
        let catalog = try SegmentCatalog(
            inspection.snapshot, segmentAt: position, through: inspection.lastTransaction)
        return (follower, DefinitionCollector(catalog))
    }
}
