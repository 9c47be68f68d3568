internal import VarveEvents
package import VarveLog
package import VarveTables

extension State {
    /// The states behind some transactions, from one replay that begins with this state and ends behind the last of them.
    /// What is the same in them they share.
    ///
    /// - Parameters:
    ///   - stops: in ascending order; none before the last transaction of this state.
    ///   - log: verified as far as it is read. A segment of it begins behind this state.
    package func states(
        behind stops: [LogSequence], in log: LogSnapshot
    ) throws(ReplayFailure<RecordError>) -> [State] {
        var replay = StoppingReplay(from: self, stops[...])
        guard !replay.isDone else { return replay.states }
        do throws(ReplayFailure<StoppingReplay.End>) {
            try log.replay(after: LogSequence(lastTransaction.rawValue)) {
                record throws(StoppingReplay.End) in try replay.take(record)
            }
        } catch {
            switch error {
            case .log(let error): throw .log(error)
            case .consumer(.failed(let error)): throw .consumer(error)
            case .consumer(.reached): break
            }
        }
        return replay.states
    }
}

/// Applies a log, and keeps the states behind some of its transactions.
private struct StoppingReplay {
    enum End: Error {
        case reached
        case failed(RecordError)
    }

    private(set) var states: [State] = []
    private var stops: ArraySlice<LogSequence>
    /// One over all that lies between two stops: what one of the log makes, the next changes in place.
    private var transaction: StateTransaction

    init(from base: State, _ stops: ArraySlice<LogSequence>) {
        self.stops = stops
        transaction = StateTransaction(base)
        let start = LogSequence(base.lastTransaction.rawValue)
        while self.stops.first == start {
            states.append(base)
            self.stops.removeFirst()
        }
    }

    var isDone: Bool { stops.isEmpty }

    mutating func take(_ record: LogRecord) throws(End) {
        do throws(RecordError) {
            try transaction.take(record)
            transaction.evictPages()
        } catch {
            throw .failed(error)
        }
        let last = LogSequence(transaction.lastTransaction.rawValue)
        guard case .transaction = record, stops.first == last else { return }
        let state = transaction.publish()
        while stops.first == last {
            states.append(state)
            stops.removeFirst()
        }
        if isDone { throw .reached }
        transaction = StateTransaction(state)
    }
}
