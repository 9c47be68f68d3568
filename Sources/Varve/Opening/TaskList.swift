internal import Foundation
internal import VarveLog

/// Tasks that several threads perform at once, some of which can be performed only when others are done.
struct TaskList: Sendable {
    private struct State {
        /// Those that can be performed, in the order in which they are taken.
        var ready: [Int]
        var taken = 0
        /// How many are ready or being performed.
        var unfinished: Int
    }

    private let state: Lock<State>
    /// Counts what a thread may look for: a task, or the end.
    private let news = DispatchSemaphore(value: 0)
    private let threads: Int

    /// - Parameter first: the tasks that can be performed at once.
    init(_ first: [Int]) {
        state = Lock(State(ready: first, unfinished: first.count))
        threads = min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8)
    }

    /// Performs all tasks. The calling thread is one of those that do, so that it goes on where there are
    /// no others to be had: a thread waits only for tasks that another one is at.
    ///
    /// - Parameter body: performs a task, and returns those that can be performed now that it is done.
    func perform(_ body: @Sendable (Int) -> [Int]) {
        let count = state.withLock { $0.ready.count }
        guard count > 0 else { return }
        for _ in 0..<count { news.signal() }
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while let task = take() { finish(followedBy: body(task)) }
        }
    }

    /// Waits for a task that can be performed; nil when all are done.
    private func take() -> Int? {
        news.wait()
        return state.withLock { state in
            guard state.taken < state.ready.count else { return nil }
            defer { state.taken += 1 }
            return state.ready[state.taken]
        }
    }

    private func finish(followedBy tasks: [Int]) {
        let isEnd = state.withLock { state in
            state.ready += tasks
            state.unfinished += tasks.count - 1
            return state.unfinished == 0
        }
        for _ in 0..<(isEnd ? threads : tasks.count) { news.signal() }
    }
}
