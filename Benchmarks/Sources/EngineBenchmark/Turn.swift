import BenchmarkSupport

/// Users, and the order in which they are looked up and changed.
final class Workload {
    let users: [BenchmarkUser]
    /// Ids in random order. Made anew, so that reading them in turn costs the same everywhere.
    let ids: [String]
    /// New forms of random users.
    let rescored: [BenchmarkUser]
    let aged: [BenchmarkUser]
    /// Users that are not among `users`.
    let added: [BenchmarkUser]
    /// New forms of one user in a hundred: of neighbours, and of any.
    let neighbours: [BenchmarkUser]
    let scattered: [BenchmarkUser]
    /// What the columns found, by line: equal or a defect.
    private var found: [Line: Int] = [:]

    init(_ users: [BenchmarkUser]) {
        self.users = users
        let count = min(users.count, 200_000)
        let order = SampleData.randomNumbers(count, below: users.count, seed: 7)
        ids = order.map { SampleData.id("u", $0) }
        rescored = order.map { number in
            var user = BenchmarkUser(sample: number)
            user.score += 1
            return user
        }
        aged = order.map { number in
            var user = BenchmarkUser(sample: number)
            user.age = (user.age + 7) % 100
            return user
        }
        func rescore(_ numbers: some Sequence<Int>) -> [BenchmarkUser] {
            numbers.map { number in
                var user = BenchmarkUser(sample: number)
                user.score += 2
                return user
            }
        }
        let some = users.count / 100
        neighbours = rescore(users.count / 2..<users.count / 2 + some)
        scattered = rescore(Set(SampleData.randomNumbers(some, below: users.count, seed: 9)))
        added = (0..<count).map { BenchmarkUser(sample: users.count + $0) }
    }

    func check(_ line: Line, _ sum: Int) {
        precondition(found.updateValue(sum, forKey: line) ?? sum == sum, "\(line) differs")
    }
}

/// One pass of one kind of store over everything that is measured.
struct Turn {
    private let workload: Workload

    init(_ workload: Workload) { self.workload = workload }

    func run(
        _ make: @autoclosure () -> some UserStore, _ column: String, _ report: inout Report
    ) {
        let users = workload.users
        do {
            var store = make()
            report.measure(.load, column, users.count) {
                store.save(users[...], batch: users.count)
            }
            store.close()
        }
        var store = make()
        report.measure(.loadBatches, column, users.count) { store.save(users[...], batch: 500) }
        if let megabytes = store.megabytes { report.add(.megabytes, column, megabytes) }
        read(store, column, &report)
        change(&store, column, &report)
        store.close()
    }

    private func read(_ store: some UserStore, _ column: String, _ report: inout Report) {
        let (ids, count) = (workload.ids, workload.users.count)
        if store.findRows([]) != nil {
            measure(.findRow, column, ids.count, &report) { store.findRows(ids) ?? 0 }
        }
        measure(.find, column, ids.count, &report) { store.find(ids) }
        measure(.scanField, column, count, &report) { store.count(scoreFrom: Double(count / 2)) }
        measure(.scan, column, count, &report) { store.scan() }
        measure(.range, column, count / 10, &report) { store.range(ages: 40..<50) }
    }

    private func measure(
        _ line: Line, _ column: String, _ operations: Int, _ report: inout Report,
        _ body: () -> Int
    ) {
        var sum = 0
        report.measure(line, column, operations) { sum = body() }
        workload.check(line, sum)
    }

    private func change(_ store: inout some UserStore, _ column: String, _ report: inout Report) {
        for (line, users, batch) in [
            (Line.update, workload.rescored, 100), (.save, workload.rescored, 1),
            (.indexed, workload.aged, 1), (.insert, workload.added, 1),
        ] {
            report.measure(line, column, users.count) { store.save(users[...], batch: batch) }
        }
    }
}
