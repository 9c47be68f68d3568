/// A store, opened to be looked at, without the types of the program that wrote it.
///
/// Takes no lock and changes nothing. Beside a live writer it shows what the writer had promised to
/// be safe when the inspection began. Belongs to one thread.
public final class Inspection {
    /// The directory, as it was given.
    public let path: String
    package let fileSystem: any FileSystem
    let scanned: ScannedLog
    let reader: TransactionReader
    /// The catalog of the segment that was read last.
    var segmentCatalog: SegmentCatalog?
    private var replayed: ReplayState?
    /// Behind which transaction the replayed state lies, where that is not the last.
    var shownTransaction: TransactionID?
    /// Where the replay started.
    private(set) var start = LogStart.beginning

    /// Reads the manifest, the ends of the segments and the frames of the newest one.
    public convenience init(at path: String) throws(InspectionError) {
        try self.init(POSIXFileSystem(path))
    }

    package init(_ fileSystem: any FileSystem) throws(InspectionError) {
        path = fileSystem.displayPath
        self.fileSystem = fileSystem
        scanned = try InspectionError.wrapping { () throws(LogError) in
            try ScannedLog.scan(fileSystem, mode: .readOnly)
        }
        reader = scanned.makeReader()
    }

    var snapshot: LogSnapshot { scanned.snapshot }

    /// The oldest transaction that can be asked for, now or when it is written.
    public var firstTransaction: TransactionID { TransactionID(snapshot.oldestSequence.rawValue) }

    /// The newest transaction; the one before ``firstTransaction`` when there is none.
    public var lastTransaction: TransactionID { TransactionID(snapshot.lastSequence.rawValue) }

    /// The state behind the last transaction, and where replay started. Reads the newest checkpoint
    /// and the log behind it at first use, verifying all of that.
    func replay() throws(InspectionError) -> ReplayState {
        if let replayed { return replayed }
        let (state, start) = try Self.replay(scanned)
        self.start = start
        replayed = state
        return state
    }

    static func replay(
        _ scanned: ScannedLog
    ) throws(InspectionError) -> (ReplayState, LogStart) {
        let (loaded, start) = try InspectionError.wrapping { () throws(LogError) in
            try scanned.loadNewestCheckpoint { file throws(LogError) in try file.loadState() }
        }
        let state = loaded ?? ReplayState()
        try apply(scanned, from: start, to: state)
        return (state, start)
    }

    private static func apply(
        _ scanned: ScannedLog, from start: LogStart, to state: ReplayState
    ) throws(InspectionError) {
        let segments = scanned.snapshot.segments
        var segment = segments.first { $0.header.firstSequence > start.sequence }?.id
        do throws(ReplayFailure<InspectionError>) {
            try scanned.replay(after: start.sequence) { record throws(InspectionError) in
                switch record {
                case .catalog(let payload):
                    _ = try SegmentCatalog.definitions(payload, of: segment ?? SegmentID(1))
                case .transaction(let logged):
                    segment = logged.location.segment
                    try apply(logged, to: state)
                }
            }
        } catch {
            throw error.inspectionError
        }
    }

    static func apply(
        _ logged: LoggedTransaction, to state: ReplayState
    ) throws(InspectionError) {
        let view = try TransactionView(logged)
        do throws(ReplayError) {
            try state.apply(view)
        } catch {
            throw .transaction(view.id, logged.location, reason: error.reason)
        }
    }
}

extension TransactionView {
    /// Reads a transaction of the log, which must call itself what the log calls it.
    init(_ logged: LoggedTransaction) throws(InspectionError) {
        let id = TransactionID(logged.sequence.rawValue)
        do throws(EventError) {
            self = try TransactionView(logged.payload)
        } catch {
            throw .transaction(id, logged.location, reason: "\(error)")
        }
        guard self.id == id else {
            throw .transaction(id, logged.location, reason: "it calls itself \(self.id)")
        }
    }
}

extension ReplayError {
    /// The description without the transaction, which the caller names with its place.
    fileprivate var reason: String {
        switch self {
        case .outOfOrder(_, let expected): "\(expected) comes next"
        case .event(_, let error): "\(error)"
        case .definition(_, let error): "\(error)"
        case .unknownType(_, let type): "type \(type) is not defined"
        case .released(_, let type): "the rows of '\(type)' were handed over"
        case .entity(_, let type, let entity, let fault): "\(type) \(entity): \(fault)"
        }
    }
}
