package import VarveEvents
package import VarveLog
package import VarveTables

extension ScannedLog {
    /// The state behind a transaction, from the newest checkpoint that serves and the log behind it, all of it verified.
    ///
    /// - Parameter memory: what pages may take; nil for no limit.
    ///
    /// Where files are gone or damaged that lead there, that throws.
    package func state(
        behind transaction: TransactionID, _ choice: CheckpointChoice, memory: ReplayMemory?
    ) throws(ReplayFailure<RecordError>) -> (state: State, start: LogStart) {
        let last = LogSequence(transaction.rawValue)
        let loaded: (state: State?, start: LogStart)
        do throws(LogError) {
            loaded = try loadNewestCheckpoint(choice) { file throws(LogError) in
                try file.load(verifyingImagesUpTo: .max, memory: memory).state
            }
        } catch {
            throw .log(error)
        }
        let base = loaded.state ?? State(memory: memory)
        let state = try base.reading {
            .log($0)
        } _: { () throws(ReplayFailure<RecordError>) in
            try base.states(behind: [last], in: snapshot).first
        }
        guard let state else { throw .log(.noSuchTransaction(last)) }
        return (state, loaded.start)
    }
}
