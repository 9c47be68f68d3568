import Testing
import VarveEvents

@testable import Varve

@Suite("What keeps values of before a migration from being read")
struct MigrationBarrierTests {
    private let passage = PastMigrations.Passage(
        transaction: 2, steps: ResolvedSteps([]), names: ["first", "second"], missing: "first")

    private func barrier(_ error: any Error) -> MigrationBarrier? {
        let failure = MigrationFailure("second", error)
        guard case .acrossMigration(let barrier) = passage.barrier(.failed(failure)) else {
            return nil
        }
        return barrier
    }

    @Test("A step that lacks what a missing migration may make names that one")
    func lacking() {
        let found = barrier(MigrationError.noProperty("title", has: []))
        guard case .notGiven? = found?.reason else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(found?.migration == "first")
    }

    @Test("What a step throws of its own is reported, also where another migration is missing")
    func own() {
        let errors: [any Error] = [
            MigrationError.idTaken("1", by: "2"), MigrationError.repeatedName, CancellationError(),
        ]
        for error in errors {
            let found = barrier(error)
            guard case .failed(let failure)? = found?.reason else {
                Issue.record("\(String(describing: found))")
                continue
            }
            #expect("\(failure.error)" == "\(error)")
        }
    }
}
