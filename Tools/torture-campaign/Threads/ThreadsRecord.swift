import VarveLog
import VarveTestSupport

/// What the threads of a round did and saw.
///
/// Readers keep what they see to themselves and hand it in at their end: taking a lock at every look would
/// put their looks in an order, which the thread sanitizer would take for the store's doing.
final class ThreadsRecord: Sendable {
    private struct State: Sendable {
        /// The progress of each writer, after so many transactions that moved money.
        var states: [[Int]]
        var acknowledged: [Int]
        var seen: [[Int]] = []
        var counts = ThreadsCounts()
    }

    private let state: Lock<State>
    private let finished = Lock(false)

    init(writers: Int) {
        let none = [Int](repeating: 0, count: writers)
        state = Lock(State(states: [none], acknowledged: none))
    }

    /// The writers are done; whoever else is at work may end.
    var isFinished: Bool { finished.withLock { $0 } }

    func finish() { finished.withLock { $0 = true } }

    // MARK: - Writers

    /// A transaction is about to leave that progress. Called inside its body, of which no two run at once.
    func willLeave(_ progress: [Int]) throws(CheckFailure) {
        try state.withLock { state throws(CheckFailure) in
            let before = state.states.count - 1
            guard progress.reduce(0, +) == before + 1 else {
                throw CheckFailure(.i1, "progress \(progress) behind \(state.states[before])")
            }
            state.states.append(progress)
        }
    }

    func acknowledge(_ writer: Int) { state.withLock { $0.acknowledged[writer] += 1 } }

    /// How far each writer knows to be.
    var acknowledged: [Int] { state.withLock { $0.acknowledged } }

    // MARK: - Readers

    func add(_ counts: ThreadsCounts, seen: [[Int]] = []) {
        state.withLock { state in
            state.counts += counts
            state.seen += seen
        }
    }

    var counts: ThreadsCounts { state.withLock { $0.counts } }

    /// Everything that anybody saw was the state behind some transaction: a prefix of what was written.
    func checkPrefixes() throws(CheckFailure) {
        try state.withLock { state throws(CheckFailure) in
            for progress in state.seen {
                let count = progress.reduce(0, +)
                guard state.states.indices.contains(count), state.states[count] == progress else {
                    throw CheckFailure(.i2, "progress \(progress) was seen, which never was")
                }
            }
        }
    }
}

/// What was done, to be added up.
struct ThreadsCounts: Sendable {
    var writes = 0
    var undos = 0
    /// Of scopes that overlap.
    var overlappingUndos = 0
    /// Undos and redos that were refused because another step has written since.
    var conflicts = 0
    var states = 0
    var refreshes = 0
    var compactions = 0
    var backups = 0
    var told = 0
    var updates = 0
    /// Of checkpoints.
    var damages = 0

    static func += (sum: inout Self, other: Self) {
        sum.writes += other.writes
        sum.undos += other.undos
        sum.overlappingUndos += other.overlappingUndos
        sum.conflicts += other.conflicts
        sum.states += other.states
        sum.refreshes += other.refreshes
        sum.compactions += other.compactions
        sum.backups += other.backups
        sum.told += other.told
        sum.updates += other.updates
        sum.damages += other.damages
    }
}
