import BenchmarkSupport
import Varve

/// Saving, finding and scanning without any index.
func measureRows(_ suite: Suite) {
    suite.begin("rows")
    let rows = suite.options.rows
    suite.measure(
        "save new users", operations: rows, target: "<= 1000", prepare: { Context() },
        { context in for user in suite.users { save(user, to: &context) } })
    measureTransaction(suite)
    suite.measure(
        "save known users in random order", operations: rows,
        prepare: { Dataset.context(suite.users) },
        { context in for index in suite.order { save(suite.users[index], to: &context) } })
    measureFinding(suite)
    if suite.willMeasure("scan") || suite.willMeasure("users") { _ = suite.loaded }
    suite.measure("scan for age > 97", operations: rows, target: "<= 25") {
        precondition(User.filter(\.age > 97).count(in: suite.loaded) >= rows / 50)
    }
    suite.measure("resolve all users into values", operations: rows) {
        precondition(User.query().resolve(in: suite.loaded).count == rows)
    }
    suite.measure(
        "first 20 sorted by age, no index", operations: rows,
        {
            let users = User.query().sorted(by: \.age).limit(20).resolve(in: suite.loaded)
            precondition(users.count == min(20, rows))
        })
    suite.measure("all ids", operations: rows) {
        precondition(suite.loaded.ids(User.self).count == rows)
    }
}

/// The saves inside one transaction of a store, without what its commit costs.
private func measureTransaction(_ suite: Suite) {
    let name = "save new users in one transaction of a store"
    var times: [Double] = []
    _ = suite.willMeasure(name) ? suite.users.count : 0
    for _ in 0..<(suite.willMeasure(name) ? suite.options.runs : 0) {
        do {
            let store = try Store.inMemory(User.self, Post.self)
            try store.write { context in
                times.append(
                    ThreadClock.time { for user in suite.users { save(user, to: &context) } })
            }
        } catch {
            preconditionFailure("a store in memory refused a write: \(error)")
        }
    }
    suite.add(name, times: times, operations: suite.options.rows, target: "<= 1000")
}

private func measureFinding(_ suite: Suite) {
    let name = "find users by id in random order"
    let rows = suite.options.rows
    let dictionary = Lazy {
        var slots: [String: Int32] = [:]
        for (index, user) in suite.users.enumerated() { slots[user.id] = Int32(index) }
        return slots
    }
    let ordered = Lazy { suite.order.map { suite.users[$0].id } }
    if suite.willMeasure(name) { _ = (dictionary.value, ordered.value, suite.loaded) }
    suite.measure(
        name, operations: rows, target: "ratio >= 0.6",
        reference: (
            "dictionary",
            {
                let (slots, ids) = (dictionary.value, ordered.value)
                var sum = 0
                for id in ids { sum &+= Int(slots[id] ?? 0) }
                precondition(sum > 0)
            }
        )
    ) {
        let (context, ids) = (suite.loaded, ordered.value)
        var sum = 0
        for id in ids {
            let user: User? = context.find(id)
            sum &+= user?.age ?? 0
        }
        precondition(sum > 0)
    }
    let together = "find users by id in random order, 100 in one call"
    let hundreds = Lazy {
        stride(from: 0, to: rows, by: 100).map { Array(ordered.value[$0..<min($0 + 100, rows)]) }
    }
    if suite.willMeasure(together) { _ = (hundreds.value, suite.loaded) }
    suite.measure(
        together, operations: rows, target: "ratio >= 1",
        reference: (
            "one by one",
            {
                let context = suite.loaded
                for ids in hundreds.value {
                    let users: [User?] = ids.map { context.find($0) }
                    precondition(users.count == ids.count)
                }
            }
        )
    ) {
        let context = suite.loaded
        for ids in hundreds.value {
            let users: [User?] = context.findAll(ids)
            precondition(users.count == ids.count)
        }
    }
    suite.measure("find users by id that are not there", operations: rows) {
        let (context, ids) = (suite.loaded, ordered.value)
        for id in ids where context.find(id) as Post? != nil { preconditionFailure("no post") }
    }
}
