import BenchmarkSupport
import Varve

/// The user of the comparison tables, with indexes.
@EntityModel
struct User {
    @Index<Self>(\.age) private var byAge
    @Index<Self>(\.city, \.age) private var byCityAndAge
    @HashIndex<Self>(\.email) private var byEmail

    let id: Int
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int
}

/// Times queries from outside the library: `QueryBenchmark [ROWS [ONLY]]`, where ONLY is a part of
/// the names of the measurements to run after the load.
@main
struct QueryBenchmark {
    let rows: Int
    let only: String?
    var context = Context()

    static func main() throws {
        let rows = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        var benchmark = QueryBenchmark(
            rows: rows, only: CommandLine.arguments.dropFirst(2).first)
        try benchmark.load()
        benchmark.measureScans()
        benchmark.measureIndexes()
        benchmark.measureSorts()
    }

    private mutating func load() throws {
        for number in 0..<rows {
            try User(
                id: number, name: SampleData.name(number), email: SampleData.email(number),
                age: number % 100, city: SampleData.city(number), score: Double(number),
                createdAt: number
            ).save(to: &context)
        }
    }

    private func measureScans() {
        measure("scan: count of score > 10, a row", operations: rows) {
            User.filter(\.score > 10).count(in: context)
        }
        measure("scan: count of two conditions, a row", operations: rows) {
            User.filter(\.score > 10 && \.createdAt < 1_000).count(in: context)
        }
    }

    private func measureIndexes() {
        let old = User.filter(\.age > 89)
        measure("index: age > 89 into values, a row", operations: rows / 10) {
            old.resolve(in: context).count
        }
        measure("index: count of age > 89") { old.count(in: context) }
        measure("index: age == 50 and a scanned condition, a row named", operations: rows / 100) {
            User.filter(\.age == 50).filter(\.score > 10).resolve(in: context).count
        }
        measure("index: one city and an age range") {
            User.filter(\.city == "City number 7").filter(\.age < 10).resolve(in: context).count
        }
        measure("index: one e-mail") {
            User.filter(\.email == "user77@example.com").resolve(in: context).count
        }
    }

    private func measureSorts() {
        measure("first 20 by an index") {
            User.query().sorted(by: \.age).limit(20).resolve(in: context).count
        }
        measure("last 20 by an index") {
            User.query().sorted(by: \.age.desc).limit(20).resolve(in: context).count
        }
        measure("first 20 of one city by an index") {
            User.filter(\.city == "City number 7").sorted(by: \.age).limit(20)
                .resolve(in: context).count
        }
        measure("first 20 by name without an index, a row", operations: rows) {
            User.query().sorted(by: \.name).limit(20).resolve(in: context).count
        }
        measure("first 20 by score without an index, a row", operations: rows) {
            User.query().sorted(by: \.score).limit(20).resolve(in: context).count
        }
        measure("all by score without an index, a row", operations: rows) {
            User.query().sorted(by: \.score.desc).resolve(in: context).count
        }
        measure("all by name without an index, a row", operations: rows) {
            User.query().sorted(by: \.name).resolve(in: context).count
        }
    }

    private func measure(_ name: String, operations: Int = 1, _ body: () -> Int) {
        if let only, !name.contains(only) { return }
        var count = 0
        let times = (0..<9).map { _ in
            WallClock.seconds { count = body() } * 1e9 / Double(max(1, operations))
        }
        let figures = [times.percentile(0.5), times.percentile(0), times.percentile(1)].map {
            Spread.text($0)
        }
        print("  \(name): \(figures[0]) ns (\(figures[1]) to \(figures[2])), \(count) found")
    }
}
