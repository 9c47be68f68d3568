internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// The state of a store as far as it can be read: from the newest checkpoint that loads, or from the beginning, up to
/// the first transaction that is missing or does not follow.
struct SoundState {
    /// Of the checkpoint, and behind the last record from ``finish(at:)`` on. Nil where there is nothing to begin with.
    private(set) var state: State?
    /// Why the state is not that behind the newest transaction.
    private(set) var problem: String?
    private(set) var checkpointProblems: [String: String] = [:]
    /// Open from the first record to the last that can be taken.
    private var transaction: StateTransaction?
    private var isOver = false

    init(of log: SoundLog) {
        for checkpoint in log.checkpoints {
            guard let file = checkpoint.file else { continue }
            do throws(LogError) {
                state = try file.readState()
                return
            } catch {
                checkpointProblems[checkpoint.name] = "\(error)"
            }
        }
        // Where a log was compacted its beginning is gone, and the first record shows it.
        state = State()
    }

    /// Behind the last record.
    /// - Parameter last: the newest transaction that could be read.
    mutating func finish(at last: TransactionID?) {
        if let transaction { state = transaction.publish() }
        transaction = nil
        guard problem == nil, let state else { return }
        if let last, state.lastTransaction < last { problem = "it could not be read further" }
    }

    /// The state cannot be read after all.
    mutating func giveUp(_ reason: String) {
        transaction = nil
        state = nil
        problem = reason
    }

    mutating func take(_ record: LogRecord) {
        guard !isOver, let state, case .transaction(let logged) = record else { return }
        let last = transaction?.lastTransaction ?? state.lastTransaction
        guard logged.sequence.rawValue > last.rawValue else { return }
        let next = TransactionID(last.rawValue + 1)
        guard logged.sequence.rawValue == next.rawValue else {
            isOver = true
            if next == TransactionID(1) { self.state = nil }
            problem =
                self.state == nil
                ? "no checkpoint can be read, and the log does not reach back to its beginning"
                : "transaction \(next) is missing"
            return
        }
        let transaction = transaction ?? StateTransaction(state)
        self.transaction = transaction
        do throws(RecordError) {
            try transaction.take(record)
        } catch {
            isOver = true
            giveUp("\(InspectionError.transaction(next, logged.location, reason: error.reason))")
        }
    }
}
