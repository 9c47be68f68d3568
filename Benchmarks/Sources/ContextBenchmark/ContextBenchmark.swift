import Varve

/// The user of the comparison tables: seven fields, three of them text.
@EntityModel
struct User {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Relationship(inverse: \.author) var posts: [Post]?
}

@EntityModel
struct Post {
    let id: String
    var title: String
    var body: String
    var likes: Int

    @Relationship(inverse: \.posts) var author: User?
}

/// Times the in-memory graph from outside the library: `ContextBenchmark [ROWS [ONLY]]`, where
/// ONLY is a part of the names of the measurements to run after the load.
@main
struct ContextBenchmark {
    static func main() {
        let rows = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        var benchmark = ContextBenchmark(
            rows: rows, only: CommandLine.arguments.dropFirst(2).first)
        benchmark.run()
    }

    let rows: Int
    let only: String?
    let users: [User]
    let order: [Int]
    var context = Context()

    init(rows: Int, only: String?) {
        self.rows = rows
        self.only = only
        users = (0..<rows).map { number in
            User(
                id: "user-" + String(repeating: "0", count: 11 - "\(number)".count) + "\(number)",
                name: "Name \(number) Somebody", email: "user\(number)@example.com",
                age: number % 100, city: "City number \(number % 200)", score: Double(number),
                createdAt: number)
        }
        var random = SplitMix(state: 42)
        order = Array(0..<rows).shuffled(using: &random)
    }

    mutating func run() {
        print("\(rows) users; nanoseconds an operation: median (least to most) of the runs")
        measure("save, new entities", runs: 1, operations: rows) { benchmark in
            for user in benchmark.users { benchmark.save(user) }
        }
        measureDictionary()
        measure("find by id", runs: 5, operations: rows) { benchmark in
            var sum = 0
            for index in benchmark.order {
                let user: User? = benchmark.context.find(benchmark.users[index].id)
                sum &+= user?.age ?? 0
            }
            precondition(sum > 0)
        }
        measure("save, all known", runs: 3, operations: rows) { benchmark in
            for index in benchmark.order { benchmark.save(benchmark.users[index]) }
        }
        measure("scan with a predicate on a stored property", runs: 5, operations: rows) {
            precondition(User.filter(\.age > 97).count(in: $0.context) > 0)
        }
        let changes = min(rows, 20_000)
        measure("copy the context, then save one entity", runs: 9, operations: changes) { bench in
            for index in bench.order.prefix(changes) {
                let snapshot = bench.context
                bench.save(bench.users[index])
                withExtendedLifetime(snapshot) {}
            }
        }
        measureNested()
    }

    private func save(_ user: User, to context: inout Context) {
        do {
            try user.save(to: &context)
        } catch {
            preconditionFailure("a save without hooks threw: \(error)")
        }
    }

    private mutating func save(_ user: User) { save(user, to: &context) }

    private mutating func measureDictionary() {
        var slots: [String: Int32] = [:]
        for (index, user) in users.enumerated() { slots[user.id] = Int32(index) }
        measure("(a dictionary of ids, for comparison)", runs: 5, operations: rows) { benchmark in
            var sum = 0
            for index in benchmark.order { sum &+= Int(slots[benchmark.users[index].id] ?? 0) }
            precondition(sum > 0)
        }
    }

    private mutating func measureNested() {
        for number in 0..<min(rows, 100_000) {
            let post = Post(
                id: "post-\(number)", title: "t", body: "b", likes: 0,
                author: .id(users[number / 10].id))
            do {
                try post.save(to: &context)
            } catch {
                preconditionFailure("a save without hooks threw: \(error)")
            }
        }
        let ids = (0..<100).map { users[$0].id }
        measure("100 users with posts with authors, the whole query", runs: 9, operations: 1) {
            let found = User.query(ids).with(\.$posts) { $0.with(\.$author) }
                .resolve(in: $0.context)
            precondition(found.count == 100)
        }
    }

    private mutating func measure(
        _ name: String, runs: Int, operations: Int, _ body: (inout ContextBenchmark) -> Void
    ) {
        // The load always runs: everything else needs its entities.
        if let only, runs > 1, !name.contains(only) { return }
        var times: [Double] = []
        for _ in 0..<runs {
            let clock = ContinuousClock()
            let start = clock.now
            body(&self)
            let time = clock.now - start
            times.append(time / .nanoseconds(1) / Double(operations))
        }
        times.sort()
        let figures = [times[times.count / 2], times[0], times[times.count - 1]].map { Int($0) }
        print("  \(name): \(figures[0]) (\(figures[1]) to \(figures[2]))")
    }
}

/// A seeded generator, so that every run touches rows in the same order.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
