internal import VarveEvents
internal import VarveLog
internal import VarveReplay

/// The state of a store as far as it can be read: from the newest checkpoint that loads, or from the beginning, up to
/// the first transaction that is missing or does not follow.
struct SoundState {
    /// Nil where there is nothing to begin with.
    private(set) var state: ReplayState?
    /// Why the state is not that behind the newest transaction.
    private(set) var problem: String?
    private(set) var checkpointProblems: [String: String] = [:]
    private var isOver = false

    init(of log: SoundLog) {
        for checkpoint in log.checkpoints {
            guard let file = checkpoint.file else { continue }
            do throws(LogError) {
                state = try file.loadState()
                return
            } catch {
                checkpointProblems[checkpoint.name] = "\(error)"
            }
        }
        // Where a log was compacted its beginning is gone, and the first record shows it.
        state = ReplayState()
    }

    /// Behind the last record.
    /// - Parameter last: the newest transaction that could be read.
    mutating func finish(at last: TransactionID?) {
        guard problem == nil, let state else { return }
        if let last, state.lastTransaction < last { problem = "it could not be read further" }
    }

    /// The state cannot be read after all.
    mutating func giveUp(_ reason: String) {
        state = nil
        problem = reason
    }

    mutating func take(_ record: LogRecord) {
        guard !isOver, let state, case .transaction(let logged) = record,
            logged.sequence.rawValue > state.lastTransaction.rawValue
        else { return }
        let next = state.nextTransaction
        guard logged.sequence.rawValue == next.rawValue else {
            isOver = true
            if next == TransactionID(1) { self.state = nil }
            problem =
                self.state == nil
                ? "no checkpoint can be read, and the log does not reach back to its beginning"
                : "transaction \(next) is missing"
            return
        }
        do throws(RecordError) {
            try state.take(record)
        } catch {
            isOver = true
            self.state = nil
            problem = "\(InspectionError.transaction(next, logged.location, reason: error.reason))"
        }
    }
}
