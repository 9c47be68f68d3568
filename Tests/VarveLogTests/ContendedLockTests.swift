import Dispatch
import Testing

@testable import VarveLog

@Suite("Contended lock")
struct ContendedLockTests {
    @Test("One thread is inside at a time, and none waits forever")
    func exclusive() {
        struct Inside: Sendable {
            var threads = 0
            var most = 0
            var visits = 0
        }
        let lock = ContendedLock(Inside())
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for visit in 0..<500 {
                lock.withLock { inside in
                    inside.threads += 1
                    inside.most = max(inside.most, inside.threads)
                    // Now and then longer than anybody waits awake.
                    var sum = 0
                    for number in 0..<(visit % 50 == 0 ? 100_000 : 50) { sum &+= number ^ visit }
                    inside.visits += sum == .min ? 0 : 1
                    inside.threads -= 1
                }
            }
        }
        #expect(lock.withLock { $0.most } == 1)
        #expect(lock.withLock { $0.visits } == 4_000)
    }

    @Test("An error leaves it free")
    func throwing() {
        struct Failure: Error {}
        let lock = ContendedLock(0)
        #expect(throws: Failure.self) {
            try lock.withLock { state in
                state = 1
                throw Failure()
            }
        }
        #expect(lock.withLock { $0 } == 1)
    }
}
