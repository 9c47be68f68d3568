import BenchmarkSupport
import Varve

/// What indexes cost a save, and what they answer.
func measureIndexes(_ suite: Suite) {
    suite.begin("indexes")
    let rows = suite.options.rows
    let users = Lazy { suite.users.map { IndexedUser($0) } }
    suite.measure(
        "save new users with ordered, hash and unique index", operations: rows,
        target: "<= 3333", prepare: { (Context(), users.value) },
        { state in for user in state.1 { save(user, to: &state.0) } })
    let loaded = Lazy { Dataset.context(users.value) }
    measureRanges(suite, loaded)
    measureSnapshots(suite, of: AgeIndexedUser.self, "ordered index")
    measureSnapshots(suite, of: CityIndexedUser.self, "hash index")
    measureSnapshots(suite, of: EmailIndexedUser.self, "unique index")
}

private func measureRanges(_ suite: Suite, _ loaded: Lazy<Context>) {
    let rows = suite.options.rows
    let found = (0..<rows).count { $0 % 100 > 89 }
    suite.measure(
        "range by index, age > 89, into values", operations: found, target: "<= 200",
        prepare: { loaded.value },
        { context in
            let users = IndexedUser.filter(\.age > 89).resolve(in: context)
            precondition(users.count == found)
        })
    suite.measure(
        "count by index, age > 89", operations: 1, unit: .microseconds, prepare: { loaded.value },
        { context in
            precondition(IndexedUser.filter(\.age > 89).count(in: context) == found)
        })
    suite.measure(
        "one city by hash index into values", operations: max(1, rows / 200),
        prepare: { loaded.value },
        { context in
            let users = IndexedUser.filter(\.city == "City number 7").resolve(in: context)
            precondition(users.count >= rows / 200)
        })
    suite.measure(
        "one user by unique index", operations: min(rows, 10_000), unit: .microseconds,
        prepare: { loaded.value },
        { context in
            for index in suite.order.prefix(10_000) {
                let email = suite.users[index].email
                precondition(IndexedUser.filter(\.email == email).count(in: context) == 1)
            }
        })
    suite.measure(
        "one user by unique index, into a value", operations: min(rows, 10_000),
        unit: .microseconds, prepare: { loaded.value },
        { context in
            for index in suite.order.prefix(10_000) {
                let email = suite.users[index].email
                let users = IndexedUser.filter(\.email == email).resolve(in: context)
                precondition(users.count == 1)
            }
        })
    suite.measure(
        "first 20 by an ordered index", operations: 100, unit: .microseconds, target: "< 20",
        prepare: { loaded.value },
        { context in
            for _ in 0..<100 {
                let users = IndexedUser.query().sorted(by: \.age).limit(20).resolve(in: context)
                precondition(users.count == min(20, rows))
            }
        })
    suite.measure(
        "first 20 by an ordered index, descending", operations: 100, unit: .microseconds,
        target: "< 20", prepare: { loaded.value },
        { context in
            for _ in 0..<100 {
                let users = IndexedUser.query().sorted(by: \.age.desc).limit(20)
                    .resolve(in: context)
                precondition(users.count == min(20, rows))
            }
        })
}

/// A snapshot and a save that changes what is indexed: the difference to the table without index
/// is what one index adds.
private func measureSnapshots<Entity: SampleUser & EntityModelProtocol>(
    _ suite: Suite, of type: Entity.Type, _ name: String
) {
    let changes = min(suite.options.rows, 20_000)
    let base = Lazy { Dataset.context(suite.users.map { Entity($0) }) }
    let moved = Lazy {
        suite.order.prefix(changes).map { index in
            let user = suite.users[index]
            return Entity(
                id: user.id, name: user.name, email: "new" + user.email, age: user.age + 1,
                city: "City number \((index + 1) % 200)", score: 0, createdAt: 0)
        }
    }
    let rescored = Lazy {
        suite.order.prefix(changes).map { index in
            var user = suite.users[index]
            user.score += 1
            return Entity(user)
        }
    }
    for (what, users) in [("all values", moved), ("another property", rescored)] {
        suite.measure(
            "\(name): snapshot + save, \(what) changed", operations: changes,
            unit: .microseconds, target: "<= 5 + 3", prepare: { (base.value, users.value) },
            { state in
                for user in state.1 {
                    let snapshot = state.0
                    save(user, to: &state.0)
                    withExtendedLifetime(snapshot) {}
                }
            })
    }
}
