import BenchmarkSupport
import Varve

/// The removal of all entities of a type, each of which leaves a tombstone.
func measureRemoval(_ suite: Suite) {
    suite.begin("removal")
    for count in [10_000, 100_000] where count <= max(10_000, suite.options.rows) {
        let users = Lazy { Dataset.users(count) }
        suite.measure(
            "remove all of \(count) in a context", operations: 1, unit: .milliseconds,
            prepare: { Dataset.context(users.value) },
            { context in expectingNoError { _ = try User.query().delete(from: &context) } })
        suite.measure(
            "remove all of \(count) in a store, with the commit", operations: 1,
            unit: .milliseconds, prepare: { store(users.value) },
            { store in
                expectingNoError { _ = try store.write { try User.query().delete(from: &$0) } }
            })
        suite.measure(
            "insert \(count) into a store, with the commit", operations: 1, unit: .milliseconds,
            prepare: { store([]) },
            { store in expectingNoError { try store.write { try users.value.save(to: &$0) } } })
    }
}

private func store(_ users: [User]) -> Store {
    expectingNoError {
        let store = try Store.inMemory(compactsAutomatically: false, User.self)
        try store.write { try users.save(to: &$0) }
        return store
    }
}
