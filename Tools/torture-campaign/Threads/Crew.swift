import Foundation
import VarveLog
import VarveTestSupport

/// Threads and tasks that are waited for together, with what they failed of.
final class Crew: Sendable {
    private let group = DispatchGroup()
    private let state = Lock((working: [String: Int](), failures: [String]()))

    func thread(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
        enter(name)
        Thread.detachNewThread {
            do {
                try body()
                self.leave(name)
            } catch {
                self.leave(name, "\(error)")
            }
        }
    }

    func task(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        enter(name)
        Task {
            do {
                try await body()
                self.leave(name)
            } catch {
                self.leave(name, "\(error)")
            }
        }
    }

    private func enter(_ name: String) {
        group.enter()
        state.withLock { $0.working[name, default: 0] += 1 }
    }

    private func leave(_ name: String, _ failure: String? = nil) {
        state.withLock { state in
            state.working[name, default: 1] -= 1
            if let failure { state.failures.append("\(name): \(failure)") }
        }
        group.leave()
    }

    /// Waits for all; what hangs is a failure too.
    func wait() throws(CheckFailure) {
        let isDone = group.wait(timeout: .now() + 300) == .success
        let (working, failures) = state.withLock { $0 }
        if !isDone {
            let names = working.filter { $0.value > 0 }.keys.sorted()
            throw CheckFailure(.i16, "still at work after five minutes: \(names); \(failures)")
        }
        if !failures.isEmpty { throw CheckFailure(failures.joined(separator: "; ")) }
    }
}
