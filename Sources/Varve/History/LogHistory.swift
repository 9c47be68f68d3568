internal import VarveEvents
internal import VarveLog

/// A log as it was at one moment.
struct LogMoment: Sendable {
    let snapshot: LogSnapshot
    let checkpoints: [CheckpointReference]
    let store: StoreID
    /// What keeps the snapshot's segments; nil in a store that is only read: the writer in another
    /// process knows nothing of it.
    let pin: LogPin?

    init(_ log: Log) {
        snapshot = log.snapshot
        checkpoints = log.manifest.checkpoints
        store = log.manifest.store
        pin = log.pins.pinFloor()
    }

    /// Of a log that another process may be writing.
    init(_ scanned: ScannedLog) {
        snapshot = scanned.snapshot
        checkpoints = scanned.manifest.checkpoints
        store = scanned.manifest.store
        pin = nil
    }
}

/// The transactions of a store's log as they were at one moment, to be read one by one. As long as it
/// lives, compactions keep them.
///
/// Belongs to one thread.
struct LogHistory {
    private let files: HistoryFiles
    private let forgotten: TransactionID
    private let recent: RecentTransactions?
    /// What is read in the place of transactions from before a migration; nil where they are read as they are.
    private var translated: TranslatedTransactions?
    /// Checkpoints that turned out damaged.
    private var avoided: Set<CheckpointReference> = []

    /// - Parameters:
    ///   - forgotten: through that transaction nothing is answered for.
    ///   - recent: the newest of the same transactions, where the caller has the turn to write.
    init(
        _ moment: LogMoment, forgotten: TransactionID, recent: RecentTransactions? = nil
    ) {
        self.init(HistoryFiles(moment), forgotten, recent)
    }

    /// The log as it is in this turn to write, and for use in that. Compactions keep from when the first
    /// file is read what is there then; what has gone by that time is below the floor.
    init(inTurnOf log: Log, forgotten: TransactionID, recent: RecentTransactions) {
        self.init(HistoryFiles(log), forgotten, recent)
    }

    private init(
        _ files: HistoryFiles, _ forgotten: TransactionID, _ recent: RecentTransactions?,
        _ translated: TranslatedTransactions? = nil
    ) {
        self.files = files
        self.forgotten = forgotten
        self.recent = recent
        self.translated = translated
    }

    /// A reader that shows transactions from before migrations as if they had been made behind them.
    func translated(
        through past: PastMigrations, _ catalog: Catalog, _ ordinals: MovedOrdinals?
    ) throws -> LogHistory {
        var history = self
        history.translated = try TranslatedTransactions(
            past, catalog, another().another(), ordinals)
        return history
    }

    private var moment: LogMoment { files.moment }

    private var reader: TransactionReader { files.reader }

    var snapshot: LogSnapshot { moment.snapshot }

    /// Those that there were at that moment, without any that turned out damaged. Nothing keeps their files.
    var checkpoints: [CheckpointReference] { moment.checkpoints.filter { !avoided.contains($0) } }

    /// Whether an error says that a checkpoint is gone or damaged, which is avoided from now on.
    mutating func avoidsCheckpoint(after error: LogError) -> Bool {
        guard let damaged = checkpoints.first(where: { error.reason(against: $0) != nil }) else {
            return false
        }
        avoided.insert(damaged)
        return true
    }

    func open(_ checkpoint: CheckpointReference) throws(LogError) -> CheckpointFile {
        try snapshot.open(checkpoint, store: moment.store, mode: .readOnly)
    }

    /// The oldest transaction that can be asked for.
    var floor: TransactionID {
        TransactionID(max(files.floor.rawValue, forgotten.rawValue + 1))
    }

    var newest: TransactionID { TransactionID(files.newest.rawValue) }

    /// The newest transaction that was made at a time or before it, where the state behind it can be asked for.
    func newest(
        notAfter time: Timestamp, through newest: TransactionID
    ) throws(StoreError) -> TransactionID? {
        try StoreError.wrapping { () throws(LogError) in
            try snapshot.newest(
                notAfter: time.microseconds, through: LogSequence(newest.rawValue))
        }.map { TransactionID($0.rawValue) }.flatMap { $0.isReachable(from: floor) ? $0 : nil }
    }

    /// The transaction behind which a point of history lies, as seen from the newest state.
    func transaction(at point: HistoryPoint, _ state: StoreState) throws -> TransactionID {
        let newest = state.lastTransaction
        switch point {
        case .savepoint(let name):
            guard let transaction = state.timeline.savepoints[name] else {
                throw StoreError.unknownSavepoint(name)
            }
            return try self.transaction(at: .transaction(transaction), state)
        case .transaction(let id):
            guard id <= newest else { throw StoreError.unknownTransaction(id, newest: newest) }
            guard id.isReachable(from: floor) || id == newest else {
                throw StoreError.belowFloor(id, floor: floor)
            }
            return id
        case .date(let date):
            if let found = try self.newest(notAfter: Timestamp(date), through: newest) {
                return found
            }
            // The log may hold no transaction any more.
            if state.lastTime <= Timestamp(date) { return newest }
            guard floor == 1 else {
                throw StoreError.belowFloor(TransactionID(floor.rawValue - 1), floor: floor)
            }
            return 0
        }
    }

    /// A reader of the same transactions, for use while one of this is being read.
    func another() -> LogHistory {
        LogHistory(files.another, forgotten, recent, translated)
    }

    /// Lets the body look at one transaction. What it is given is of no use afterwards.
    func with<Result>(
        _ id: TransactionID, _ body: (TransactionView) throws -> Result
    ) throws -> Result {
        guard id.rawValue > 0, id <= newest else {
            throw StoreError.unknownTransaction(id, newest: newest)
        }
        guard id >= floor else { throw StoreError.belowFloor(id, floor: floor) }
        if let payload = try translated?.payload(of: id) {
            return try payload.withUnsafeBytes { try body(try Self.view($0, of: id)) }
        }
        let known = try recent?.with(id) { try body(try Self.view($0, of: id)) }
        if let known { return known }
        let reader = try reader(from: id)
        return try unwrapping {
            () throws(ReplayFailure<any Error>) in
            try reader.withTransaction(LogSequence(id.rawValue)) { logged throws(any Error) in
                try body(try Self.view(logged))
            }
        }
    }

    /// Lets the body look at these transactions, newest first.
    func forEach(of ids: [TransactionID], _ body: (TransactionView) throws -> Void) throws {
        guard let newest = ids.first, let oldest = ids.last, ids.count > 1,
            !(recent?.holds(oldest) ?? false),
            newest.rawValue - oldest.rawValue == UInt64(ids.count - 1),
            newest <= self.newest, oldest >= floor
        else {
            for id in ids { try with(id, body) }
            return
        }
        _ = try reader(from: oldest)
        // Without a gap: each part of the log is looked through once.
        try forEachNewestFirst(from: newest) { view in
            try body(view)
            return view.id > oldest
        }
    }

    /// Lets the body look at transactions, oldest first, until it returns false.
    func forEach(
        from oldest: TransactionID, _ body: (TransactionView) throws -> Bool
    ) throws {
        guard oldest <= newest else { return }
        let reader = try reader(from: oldest)
        try unwrapping { () throws(ReplayFailure<any Error>) in
            try reader.forEachOldestFirst(from: LogSequence(oldest.rawValue)) {
                logged throws(any Error) in
                try with(logged, body)
            }
        }
    }

    /// Lets the body look at transactions, newest first, until it returns false or the floor is
    /// reached.
    func forEachNewestFirst(
        from newest: TransactionID, _ body: (TransactionView) throws -> Bool
    ) throws {
        try unwrapping { () throws(ReplayFailure<any Error>) in
            try reader.forEachNewestFirst(from: LogSequence(newest.rawValue)) {
                logged throws(any Error) in
                try with(logged, body)
            }
        }
    }

    /// What reads transactions from one on. From here on compactions keep them.
    private func reader(from oldest: TransactionID) throws -> TransactionReader {
        let reader = reader
        guard oldest >= floor else { throw StoreError.belowFloor(oldest, floor: floor) }
        return reader
    }

    private func with<Result>(
        _ logged: LoggedTransaction, _ body: (TransactionView) throws -> Result
    ) throws -> Result {
        let id = TransactionID(logged.sequence.rawValue)
        guard let payload = try translated?.payload(of: id) else {
            return try body(try Self.view(logged))
        }
        return try payload.withUnsafeBytes { try body(try Self.view($0, of: id)) }
    }

    private static func view(_ logged: LoggedTransaction) throws -> TransactionView {
        try view(logged.payload, of: TransactionID(logged.sequence.rawValue))
    }

    private static func view(
        _ payload: UnsafeRawBufferPointer, of transaction: TransactionID
    ) throws -> TransactionView {
        do throws(EventError) {
            return try TransactionView(payload)
        } catch {
            throw StoreError.inconsistent(transaction: transaction, reason: "\(error)")
        }
    }

    private func unwrapping<Result>(
        _ body: () throws(ReplayFailure<any Error>) -> Result
    ) throws -> Result {
        do throws(ReplayFailure<any Error>) {
            return try body()
        } catch {
            switch error {
            case .consumer(let error): throw error
            case .log(.belowFloor(let sequence, let floor)):
                throw StoreError.belowFloor(
                    TransactionID(sequence.rawValue), floor: TransactionID(floor.rawValue))
            case .log(.noSuchTransaction(let sequence)):
                throw StoreError.unknownTransaction(
                    TransactionID(sequence.rawValue), newest: newest)
            case .log(let error): throw StoreError.log(error)
            }
        }
    }
}
