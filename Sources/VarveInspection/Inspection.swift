public import VarveLog
internal import VarveReplay
internal import VarveTables

/// A store, opened to be looked at, without the types of the program that wrote it.
///
/// Takes no lock and changes nothing. Beside a live writer it shows what the writer had promised to
/// be safe when the inspection began, as long as no compaction beside it removes what is to be read: that
/// is an error then, and another inspection shows what there is. Belongs to one thread.
public final class Inspection {
    /// The directory, as it was given.
    public let path: String
    package let fileSystem: any FileSystem
    /// Where the sound part of a damaged store was read, and what is missing; nil of any other store.
    let damaged: (source: any FileSystem, report: SalvageReport)?
    let scanned: ScannedLog
    /// The size up to which an image is verified before the state is read.
    private let verifiedBytes: ByteCount
    let reader: TransactionReader
    /// The catalog of the segment that was read last.
    var segmentCatalog: SegmentCatalog?
    var replayed: State?
    /// Behind which transaction the replayed state lies, where that is not the last.
    var shownTransaction: TransactionID?
    /// Where the replay started.
    private(set) var start = LogStart.beginning
    private var choice: CheckpointChoice

    /// Reads the manifest, the ends of the segments and the frames of the newest one.
    ///
    /// - Parameter verifiesCheckpoint: whether all of the newest checkpoint is verified before the state is read.
    ///   Otherwise each part of one of more than 4 MiB is when it is read: that is faster, but damage is met late.
    public convenience init(
        at path: String, verifiesCheckpoint: Bool = true
    ) throws(InspectionError) {
        try self.init(
            ReadObservation.fileSystem(at: path),
            verifyingImagesUpTo: verifiesCheckpoint ? .max : CheckpointFile.smallImageBytes)
    }

    /// - Parameter damaged: the store that the files were salvaged from.
    package init(
        _ fileSystem: any FileSystem, verifyingImagesUpTo limit: ByteCount = .max,
        salvagedFrom damaged: (source: any FileSystem, report: SalvageReport)? = nil
    ) throws(InspectionError) {
        path = fileSystem.displayPath
        self.fileSystem = fileSystem
        self.damaged = damaged
        verifiedBytes = limit
        scanned = try InspectionError.wrapping { () throws(LogError) in
            try ScannedLog.scan(fileSystem, mode: .readOnly)
        }
        reader = scanned.makeReader()
        choice = CheckpointChoice(in: scanned)
    }

    /// Another inspection of the store, as it is now.
    public func reopened() throws(InspectionError) -> Inspection {
        try Inspection(
            fileSystem, verifyingImagesUpTo: verifiedBytes, salvagedFrom: damaged)
    }

    /// What is missing of a damaged store, of which the sound part is shown; nil of any other.
    public var missing: SalvageReport? { damaged?.report }

    /// The identity of the store, also of a damaged one as far as a file still has it.
    var store: StoreID { missing?.source ?? scanned.manifest.store }

    var snapshot: LogSnapshot { scanned.snapshot }

    /// The oldest transaction that can be asked for, now or when it is written.
    public var firstTransaction: TransactionID { TransactionID(snapshot.oldestSequence.rawValue) }

    /// The newest transaction; the one before ``firstTransaction`` when there is none.
    public var lastTransaction: TransactionID { TransactionID(snapshot.lastSequence.rawValue) }

    /// The state behind the last transaction, and where replay started. Reads the newest checkpoint
    /// and the log behind it at first use. Where the checkpoint turns out damaged meanwhile, other files serve.
    func replay() throws(InspectionError) -> State {
        if let replayed { return replayed }
        let read = try Self.replay(scanned, &choice, verifyingImagesUpTo: verifiedBytes)
        start = read.start
        replayed = read.state
        return read.state
    }

    /// Runs what reads the state that the inspection shows. Where the checkpoint under it turns out damaged
    /// meanwhile, it runs again, with the state that other files lead to; of a state of the past it throws.
    func reading<Result>(
        _ body: (State) throws(InspectionError) -> Result
    ) throws(InspectionError) -> Result {
        while true {
            let state = try replay()
            let isNewest = shownTransaction == nil
            do throws(InspectionError) {
                return try state.inspecting { () throws(InspectionError) in try body(state) }
            } catch {
                guard isNewest, case .log(let cause) = error, choice.goesOn(after: cause) else {
                    throw error
                }
                replayed = nil
                shownTransaction = nil
            }
        }
    }

    /// The newest state of a log. Where the checkpoint turns out damaged meanwhile, or cannot be read, other files serve.
    static func replay(
        _ scanned: ScannedLog, verifyingImagesUpTo limit: ByteCount = .max
    ) throws(InspectionError) -> LoggedState {
        var choice = CheckpointChoice(in: scanned)
        return try replay(scanned, &choice, verifyingImagesUpTo: limit)
    }

    /// - Parameter choice: what was found wrong with checkpoints, before and by this.
    static func replay(
        _ scanned: ScannedLog, _ choice: inout CheckpointChoice,
        verifyingImagesUpTo limit: ByteCount = .max
    ) throws(InspectionError) -> LoggedState {
        while true {
            let failure: InspectionError
            do throws(ReplayFailure<RecordError>) {
                return try LoggedState(scanned, choice, verifyingImagesUpTo: limit)
            } catch {
                failure = error.inspectionError(in: scanned.snapshot)
            }
            guard case .log(let cause) = failure, choice.goesOn(after: cause) else { throw failure }
        }
    }
}

extension State {
    /// Runs what reads the state. Where the checkpoint under it turns out damaged meanwhile, it throws.
    func inspecting<Result>(
        _ body: () throws(InspectionError) -> Result
    ) throws(InspectionError) -> Result {
        try reading({ .log($0) }, body)
    }
}
