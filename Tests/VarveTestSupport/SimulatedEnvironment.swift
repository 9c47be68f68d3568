import VarveLog

/// Clock, randomness and process of a simulated run: the same seed gives the same run.
package final class SimulatedEnvironment: LogEnvironment {
    private struct State: Sendable {
        var generator: SeededGenerator
        var now: Int64 = 1_700_000_000_000_000
    }

    private let state: Lock<State>
    private let process: Int32

    package init(seed: UInt64 = 1, process: Int32 = 4711) {
        state = Lock(State(generator: SeededGenerator(seed: seed)))
        self.process = process
    }

    /// A millisecond passes with every look.
    package func wallClockMicroseconds() -> Int64 {
        state.withLock { state in
            state.now += 1_000
            return state.now
        }
    }

    package func randomSalt() -> UInt64 { state.withLock { $0.generator.next() } }

    package func processID() -> Int32 { process }

    package func processName() -> String { "simulation" }
}
