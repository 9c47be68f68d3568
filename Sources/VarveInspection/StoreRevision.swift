internal import VarveAssets
internal import VarveEvents
public import VarveLog
internal import VarveReplay
internal import VarveTables

/// A transaction that takes others back, appended to a store that no program has open, without the
/// types of the program that wrote it.
///
/// Unique constraints are the program's alone: they are not looked at.
public struct StoreRevision: Sendable {
    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Undoes the newest step of a scope.
        case undo(scope: String?)
        /// Redoes the step of a scope that was undone last.
        case redo(scope: String?)
        /// Restores a deleted entity; `isWhole` with what was deleted along with it.
        case restore(type: String, id: String, isWhole: Bool)
    }

    /// What was done.
    public let action: Action
    /// The transaction that was appended.
    public let transaction: TransactionID
    /// The transactions that it undoes, oldest first: of a redo the undo, of a restoration the deletion.
    public let takenBack: [TransactionID]
    /// The label of the transaction that was appended.
    public let label: String?
    /// The newest transaction that it undoes: what it is for, and its label. An undo and a redo have the label of
    /// their step.
    public let takenBackKind: TransactionSummary.Kind
    /// The label of the step; nil where it has none.
    public let takenBackLabel: String?
    /// What came since and was overwritten or left out.
    public let overruled: [String]
    /// Links of restored entities that are not visible until their other ends are restored.
    public let unlinked: [String]
    /// What opening the store found, and mended.
    public let recovery: RecoveryReport

    /// Takes the store's lock, brings the end of its log in order as every writer does, and appends
    /// one transaction.
    ///
    /// - Parameters:
    ///   - action: what to do.
    ///   - path: the store's directory.
    ///   - force: whether what came since is overwritten.
    public static func perform(
        _ action: Action, at path: String, force: Bool = false
    ) throws(InspectionError) -> StoreRevision {
        try perform(action, ReadObservation.fileSystem(at: path), force: force)
    }

    package static func perform(
        _ action: Action, _ fileSystem: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(), force: Bool = false
    ) throws(InspectionError) -> StoreRevision {
        let scanned = try InspectionError.wrapping { () throws(LogError) in
            try ScannedLog.scan(fileSystem, environment: environment, mode: .readWrite)
        }
        let replayed = try Inspection.replay(scanned)
        let state = replayed.state
        let time = Timestamp(microseconds: environment.wallClockMicroseconds())
        let reader = scanned.makeReader()
        let work = try state.inspecting { () throws(InspectionError) in
            var work = try RevisionWork(action, state, reader, time: time, force: force)
            try work.run()
            return work
        }
        let payload = try work.payload()
        // What a program will do when it opens the store, before anything is written.
        try payload.withBytes { bytes throws(InspectionError) in
            try state.inspecting { () throws(InspectionError) in
                try state.check(bytes, as: work.header.id)
            }
            try AssetFolder(of: fileSystem, environment: environment)
                .admit(bytes, state.catalog)
        }
        let (header, catalog) = (work.header, state.catalog)
        let report = try InspectionError.wrapping { () throws(LogError) in
            try append(payload, header, scanned, replayed.start, catalog)
        }
        return StoreRevision(
            action: action, transaction: header.id, takenBack: work.takenBack.reversed(),
            label: work.label, takenBackKind: work.takenBackKind,
            takenBackLabel: work.takenBackLabel, overruled: work.overruled,
            unlinked: work.unlinked, recovery: report)
    }

    private static func append(
        _ payload: borrowing ByteWriter, _ header: TransactionHeader, _ scanned: ScannedLog,
        _ start: LogStart, _ catalog: Catalog
    ) throws(LogError) -> RecoveryReport {
        let (log, report) = try scanned.recover(
            start: start, prologue: catalog.encodedDefinitions)
        do throws(LogError) {
            try payload.withBytes { bytes throws(LogError) in
                try log.append(
                    sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
                    payload: bytes)
            }
            try log.close()
            return report
        } catch {
            log.abandon()
            throw error
        }
    }
}

extension AssetFolder {
    /// Refuses a transaction that brings back an asset whose file is not there.
    fileprivate func admit(
        _ payload: UnsafeRawBufferPointer, _ catalog: Catalog
    ) throws(InspectionError) {
        guard let problem = firstProblem(in: payload, catalog) else { return }
        throw .revision(reason: "\(problem.place.type) \(problem.reason)")
    }
}

extension State {
    /// Throws unless a transaction that is about to be appended follows from the state.
    func check(
        _ payload: UnsafeRawBufferPointer, as id: TransactionID
    ) throws(InspectionError) {
        let transaction = StateTransaction(self)
        defer { transaction.rollBack() }
        do {
            try transaction.apply(try TransactionView(payload))
        } catch {
            throw .revision(reason: "\(id) would not follow from what is there: \(error)")
        }
    }
}
