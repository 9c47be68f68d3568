import Testing
import VarveLog

@testable import Varve

@Suite("Lists of tasks")
struct TaskListTests {
    @Test("Each task is performed once, and behind the one that it follows", arguments: 0..<20)
    func followers(round: Int) {
        // Each task below 40 is followed by two others, down to the leaves of a tree.
        let performed = Lock<[Int]>([])
        TaskList([0]).perform { task in
            performed.withLock { $0.append(task) }
            return task < 40 ? [2 * task + 1, 2 * task + 2] : []
        }
        let order = performed.withLock { $0 }
        #expect(order.sorted() == Array(0...80))
        for task in 1...80 {
            let place = order.firstIndex(of: task) ?? -1
            #expect(place > order.firstIndex(of: (task - 1) / 2) ?? .max)
        }
    }

    @Test("A list without tasks is done at once")
    func empty() {
        TaskList([]).perform { _ in
            Issue.record("there is nothing to do")
            return []
        }
    }
}
