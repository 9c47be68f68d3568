import BenchmarkSupport
import Varve

/// What a snapshot taken before every save costs.
func measureSnapshots(_ suite: Suite) {
    suite.begin("snapshots")
    let rows = suite.options.rows
    let changes = min(rows, 20_000)
    suite.measure(
        "snapshot + save one known user", operations: changes, unit: .microseconds,
        target: "<= 5", prepare: { suite.loaded },
        { context in
            for index in suite.order.prefix(changes) {
                let snapshot = context
                save(suite.users[index], to: &context)
                withExtendedLifetime(snapshot) {}
            }
        })
    let others = Lazy {
        (0..<changes).map { number in
            User(
                id: SampleData.id("new", number), name: "n", email: "e", age: 1, city: "c",
                score: 0,
                createdAt: 0)
        }
    }
    suite.measure(
        "snapshot + save one new user", operations: changes, unit: .microseconds, target: "<= 5",
        prepare: { (suite.loaded, others.value) },
        { state in
            for user in state.1 {
                let snapshot = state.0
                save(user, to: &state.0)
                withExtendedLifetime(snapshot) {}
            }
        })
    suite.measure("snapshot alone", operations: changes, prepare: { suite.loaded }) { context in
        for _ in 0..<changes {
            let snapshot = context
            precondition(snapshot.count(User.self) == rows)
        }
    }
}

/// How the cost of a save grows with the table: from 1,000 rows to all of them.
func measureCurve(_ suite: Suite) {
    suite.begin("curve")
    var rows = 1_000
    while rows <= suite.options.rows {
        measureCurve(suite, rows)
        rows *= 10
    }
}

private func measureCurve(_ suite: Suite, _ rows: Int) {
    let changes = 20_000
    var random = SplitMix(state: 7)
    let chosen = (0..<changes).map { _ in Int.random(in: 0..<rows, using: &random) }
    suite.measure(
        "save in place among \(rows)", operations: changes,
        prepare: { Dataset.context(Array(suite.users[..<rows])) },
        { context in for index in chosen { save(suite.users[index], to: &context) } })
    suite.measure(
        "snapshot + save among \(rows)", operations: changes,
        prepare: { Dataset.context(Array(suite.users[..<rows])) },
        { context in
            for index in chosen {
                let snapshot = context
                save(suite.users[index], to: &context)
                withExtendedLifetime(snapshot) {}
            }
        })
}
