import BenchmarkSupport
import Varve

@EntityModel
struct Person {
    let id: Int
    var name: String
    var age: Int
}

/// What live results and the change feed cost: `LiveBenchmark [ROWS]`.
@main
enum LiveBenchmark {
    static func main() async throws {
        let rows = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let store = try Store.inMemory(Person.self)
        let start = try store.changeToken()
        try await fill(store, rows)
        try await absorb(store, rows)
        try await readBack(store, start)
    }

    private static func person(_ number: Int, age: Int) -> Person {
        Person(id: number, name: "person \(number &* 7_919 % 1_000_003)", age: age)
    }

    private static func fill(_ store: Store, _ rows: Int) async throws {
        for first in stride(from: 0, to: rows, by: 100) {
            try await store.write("Fill") { context in
                for number in first..<min(first + 100, rows) {
                    try person(number, age: number % 90).save(to: &context)
                }
            }
        }
    }

    /// The time that a consumer of live results takes for a transaction of one entity.
    private static func absorb(_ store: Store, _ rows: Int) async throws {
        var results = store.results(of: Person.filter(\.age >= 0).sorted(by: \.age, \.name))
            .makeAsyncIterator()
        let found = await results.next()?.list.count ?? 0
        var times: [Double] = []
        var ages = (0..<rows).map { $0 % 90 }
        for round in 0..<2_000 {
            let number = round &* 104_729 % rows
            // Never the age that it has: an edit without a difference would be waited for in vain.
            let age = (ages[number] + 1 + round % 80) % 90
            ages[number] = age
            try await store.write("Edit") { context in
                try person(number, age: age).save(to: &context)
            }
            let start = ContinuousClock.now
            let isThere = await results.next() != nil
            times.append(WallClock.seconds(since: start))
            precondition(isThere, "each edit moves a row")
        }
        let (median, late) = (times.percentile(0.5) * 1e6, times.percentile(0.99) * 1e6)
        print("live query over \(found) rows, sorted by two properties, one entity changed:")
        print("  median \(Spread.text(median)) µs, 99 % \(Spread.text(late)) µs")
    }

    private static func readBack(_ store: Store, _ start: ChangeToken) async throws {
        var events = 0
        let last = store.lastTransaction
        let begin = ContinuousClock.now
        for try await event in store.changes(after: start) {
            if case .transaction(let change) = event {
                events += try change.changes(of: Person.self).count
            }
            if event.token.transaction >= last { break }
        }
        let seconds = WallClock.seconds(since: begin)
        let rate = Spread.text(Double(events) / seconds)
        print("feed: \(events) decoded events in \(Spread.text(seconds)) s, \(rate) a second")
    }
}
