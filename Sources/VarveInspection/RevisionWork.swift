internal import VarveEvents
internal import VarveLog
internal import VarveTables

/// The making of a transaction that takes others back, over encoded rows.
struct RevisionWork {
    private let state: State
    private let reader: TransactionReader
    private let force: Bool
    private(set) var header: TransactionHeader
    /// Newest first.
    private(set) var takenBack: [TransactionID]
    let label: String?
    /// Of the newest transaction that is undone.
    private(set) var takenBackKind = TransactionSummary.Kind.write
    private(set) var takenBackLabel: String?
    private(set) var overruled: [String] = []
    /// Links of restored entities that are not visible yet.
    private(set) var unlinked: [String] = []
    private let restored: (type: TypeNumber, id: [UInt8], isWhole: Bool)?
    /// Never published: the events of the draft's changes are what is wanted.
    private let transaction: StateTransaction
    private let draft: StateDraft

    init(
        _ action: StoreRevision.Action, _ state: State, _ reader: TransactionReader,
        time: Timestamp, force: Bool
    ) throws(InspectionError) {
        self.state = state
        self.reader = reader
        self.force = force
        var header = TransactionHeader(
            id: state.nextTransaction, time: time, isUndoable: false)
        var restored: (type: TypeNumber, id: [UInt8], isWhole: Bool)?
        let floor = Self.floor(state, reader)
        switch action {
        case .undo(let scope):
            guard let step = state.timeline.undoStep(in: scope, from: floor) else {
                throw .nothingToUndo(scope: scope)
            }
            header.kind = .undo(of: step.newest)
            header.scope = scope
            (takenBack, label) = (step.transactions, step.label)
        case .redo(let scope):
            guard let step = state.timeline.redoStep(in: scope, from: floor) else {
                throw .nothingToRedo(scope: scope)
            }
            header.kind = .redo(of: step.newest)
            header.scope = scope
            (takenBack, label) = (step.transactions, step.label)
        case .restore(let type, let id, let isWhole):
            let (number, bytes, deletion) = try Inspection.tombstone(of: type, id: id, in: state)
            restored = (number, bytes, isWhole)
            header.isUndoable = true
            header.metadata[Timeline.Key.restore] = "1"
            (takenBack, label) = ([deletion], "Restore \(type) \(id)")
        }
        if let migration = state.timeline.migration(since: takenBack) {
            throw .revision(
                reason: "transaction \(migration.transaction) is the migration "
                    + "'\(migration.id)', and what came before it is undone by the app alone, which knows its steps"
            )
        }
        header.label = label
        self.header = header
        self.restored = restored
        transaction = StateTransaction(state)
        draft = StateDraft(transaction, running: header.id, time: time)
    }

    /// The oldest transaction that can be undone.
    private static func floor(_ state: State, _ reader: TransactionReader) -> TransactionID {
        TransactionID(
            max(reader.snapshot.oldestSequence.rawValue, state.timeline.forgotten.rawValue + 1))
    }

    private var floor: TransactionID { Self.floor(state, reader) }

    mutating func run() throws(InspectionError) {
        for id in takenBack where id < floor {
            throw .noSuchTransaction(id, first: floor, last: state.lastTransaction)
        }
        let later = later()
        let reversal = Reversal(
            draft, .head(force: force || restored != nil), catalog: state.catalog,
            running: header.id, later: later)
        for id in takenBack {
            try with(id) { view throws(InspectionError) in
                if id == takenBack.first {
                    takenBackKind = view.header.purpose
                    takenBackLabel = view.header.label
                }
                try take(view, back: reversal)
            }
        }
        reversal.checkConstraints()
        if let failure = later.failure {
            throw failure as? InspectionError ?? .revision(reason: "\(failure)")
        }
        let standing = reversal.conflicts.filter { conflict in
            restored == nil
                ? !force || conflict.isFinal
                : conflict.reason == .exists || conflict.reason == .zeroID
        }
        guard standing.isEmpty else {
            throw .revision(reason: standing.map(\.text).joined(separator: "; "))
        }
        overruled = restored == nil ? reversal.conflicts.map(\.text) : []
        unlinked = reversal.hiddenLinks.map(\.text)
    }

    private func later() -> LaterTransactions {
        let reader = TransactionReader(reader.snapshot)
        return LaterTransactions(
            takenBack, running: header, timeline: state.timeline, newest: state.lastTransaction,
            floor: floor, catalog: state.catalog
        ) { oldest, body in
            try Self.unwrapping { () throws(ReplayFailure<any Error>) in
                try reader.forEachOldestFirst(from: LogSequence(oldest.rawValue)) {
                    logged throws(any Error) in
                    try body(try TransactionView(of: logged))
                }
            }
        } readingBack: { newest, body in
            try Self.unwrapping { () throws(ReplayFailure<any Error>) in
                try reader.forEachNewestFirst(from: LogSequence(newest.rawValue)) {
                    logged throws(any Error) in
                    try body(try TransactionView(of: logged))
                }
            }
        }
    }

    private static func unwrapping(
        _ body: () throws(ReplayFailure<any Error>) -> Void
    ) throws {
        do throws(ReplayFailure<any Error>) {
            try body()
        } catch .consumer(let error) {
            throw error
        } catch .log(let error) {
            throw InspectionError.log(error)
        }
    }

    private func take(
        _ view: TransactionView, back reversal: Reversal<StateDraft>
    ) throws(InspectionError) {
        do {
            guard let restored else { return try reversal.takeBack(view) }
            let origin = try DeletionOrigin(of: view.id, floor: floor) { id, body in
                var result: TransactionID?
                try TransactionReader(reader.snapshot).withTransaction(
                    LogSequence(id.rawValue)
                ) { logged throws(any Error) in
                    result = try body(try TransactionView(logged.payload))
                }
                return result
            }
            let selection = try origin.selection(
                of: (restored.type, restored.id), isWhole: restored.isWhole, in: view)
            try reversal.takeBack(view, selection: selection)
        } catch {
            throw .revision(reason: "transaction \(view.id) cannot be undone: \(error)")
        }
    }

    private func with(
        _ id: TransactionID, _ body: (TransactionView) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        do throws(ReplayFailure<InspectionError>) {
            try reader.withTransaction(LogSequence(id.rawValue)) {
                logged throws(InspectionError) in
                try body(try TransactionView(of: logged))
            }
        } catch {
            throw error.inspectionError
        }
    }

    /// Returns the transaction, which follows from the state, and rolls the draft back.
    func payload() throws(InspectionError) -> ByteWriter {
        defer { transaction.rollBack() }
        var encoder = TransactionEncoder()
        encoder.begin(id: header.id, time: header.time)
        do throws(CodecError) {
            try draft.encode(into: &encoder)
        } catch {
            throw .revision(reason: "\(error)")
        }
        var output = ByteWriter()
        encoder.finish(header, into: &output)
        return output
    }
}

extension HiddenLink {
    /// One line that says which end is missing.
    fileprivate var text: String {
        "\(type) \(id): '\(relation)' leads to \(targetType) \(targetID), which is deleted"
    }
}

extension ReversalConflict {
    /// One line that names the conflict.
    var text: String {
        let subject = "\(type) \(id)"
        return switch reason {
        case .fieldChanged(let name), .longTextChanged(let name):
            "\(subject): '\(name)' was changed again"
        case .missing: "\(subject) was deleted"
        case .exists: "\(subject) was created again"
        case .uniqueValueTaken(let index, let other):
            "\(subject): \(other) has its value of the unique index '\(index)'"
        case .targetMissing(let relation, let target):
            "\(subject): \(target), which '\(relation)' led to, was deleted"
        case .dependants(let relation, let entities):
            "\(subject) was linked by '\(relation)' to \(entities.joined(separator: ", "))"
        case .ownerMoved(let relation): "\(subject): '\(relation)' leads elsewhere by now"
        case .linkChanged(let relation, let target):
            "\(subject): the link '\(relation)' to \(target) was changed again"
        case .unknownToApp(let name): "\(subject): '\(name)' is not known"
        case .zeroID:
            "\(subject) cannot return: the store gives the ids of this type, from 1 on"
        }
    }
}
