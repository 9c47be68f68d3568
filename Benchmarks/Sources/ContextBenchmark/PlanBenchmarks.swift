import Varve

/// What the planner makes of conditions and sorts, with an index on age and without one.
func measurePlans(_ suite: Suite) {
    suite.begin("plans")
    let rows = suite.options.rows
    let loaded = Lazy { Dataset.context(suite.users.map { AgeIndexedUser($0) }) }
    measureConditions(suite, loaded)
    measureOrders(suite, loaded)
    suite.measure(
        "to choose among plans and find nothing", operations: 1_000, unit: .microseconds,
        prepare: { loaded.value },
        { context in
            for age in 0..<1_000 {
                let query = AgeIndexedUser.filter(\.age == age + rows).sorted(by: \.name)
                precondition(!query.exists(in: context))
            }
        })
}

private func measureConditions(_ suite: Suite, _ loaded: Lazy<Context>) {
    let rows = suite.options.rows
    suite.measure(
        "scan for two conditions, a row", operations: rows, prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.filter(\.score >= 10 && \.createdAt < 1_000)
            precondition(found.count(in: context) == min(rows, 1_000) - 10)
        })
    suite.measure(
        "rows named by an index and tested for more, a row", operations: rows / 100,
        prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.filter(\.age == 50).filter(\.score >= 0)
            precondition(found.count(in: context) == rows / 100)
        })
    suite.measure(
        "either of two ranges, a row named", operations: rows / 50, prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.filter(\.age < 1 || \.age > 98)
            precondition(found.count(in: context) == rows / 50)
        })
}

private func measureOrders(_ suite: Suite, _ loaded: Lazy<Context>) {
    let rows = suite.options.rows
    suite.measure(
        "first 20 along an index with a condition on each row", operations: 100,
        unit: .microseconds, prepare: { loaded.value },
        { context in
            for _ in 0..<100 {
                let found = AgeIndexedUser.filter(\.score >= 10).sorted(by: \.age.desc).limit(20)
                precondition(found.resolve(in: context).count == 20)
            }
        })
    suite.measure(
        "first 20 by name, selected, a row", operations: rows, prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.query().sorted(by: \.name).limit(20)
            precondition(found.resolve(in: context).count == 20)
        })
    suite.measure(
        "all by score, sorted, a row", operations: rows, prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.query().sorted(by: \.score.desc)
            precondition(found.resolve(in: context).count == rows)
        })
    suite.measure(
        "all by name, sorted, a row", operations: rows, prepare: { loaded.value },
        { context in
            let found = AgeIndexedUser.query().sorted(by: \.name)
            precondition(found.resolve(in: context).count == rows)
        })
}
