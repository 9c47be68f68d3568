import BenchmarkSupport
import Varve

@EntityModel
struct Person {
    let id: Int
    var name: String
    var age: Int
    @Relationship(inverse: \.members) var group: Group?
}

@EntityModel
struct Group {
    let id: Int
    var name: String
    @Relationship(inverse: \.group) var members: [Person]?
}

/// What live results, drafts and the change feed cost: `LiveBenchmark [ROWS]`.
@main
enum LiveBenchmark {
    static func main() async throws {
        let rows = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let store = try Store.inMemory(Person.self)
        let start = try store.changeToken()
        try await fill(store, rows)
        try await absorb(store, rows)
        try await absorbSections(store, rows, "a property", .property(\.age))
        try await absorbSections(store, rows, "a related entity", .related(\.$group, \.name))
        try drafts(store, rows)
        try await readBack(store, start)
        for count in [1, 10, 100, 1_000] { try commits(store, rows, changes: count) }
    }

    private static let groups = 1_000

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
        try await store.write("Group") { context in
            for group in 0..<groups {
                let members = (0..<100).map { (group + $0 * groups) % rows }
                try Group(id: group, name: "group \(group)", members: .ids(members))
                    .save(to: &context)
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

    /// The same of results in sections.
    private static func absorbSections<Key: Sendable>(
        _ store: Store, _ rows: Int, _ name: String, _ key: SectionKey<Person, Key>
    ) async throws {
        var results = store.results(of: Person.query().sorted(by: \.name), sectionedBy: key)
            .makeAsyncIterator()
        let start = ContinuousClock.now
        let count = await results.next()?.sections.count ?? 0
        let first = WallClock.seconds(since: start) * 1e3
        var times: [Double] = []
        for round in 0..<2_000 {
            let number = round &* 104_729 % rows
            try await store.write("Edit") { context in
                guard var person: Person = context.find(number) else { return }
                person.age = (person.age + 1) % 90
                try person.save(to: &context)
            }
            let start = ContinuousClock.now
            let isThere = await results.next() != nil
            times.append(WallClock.seconds(since: start))
            precondition(isThere, "each edit changes a row")
        }
        let (median, late) = (times.percentile(0.5) * 1e6, times.percentile(0.99) * 1e6)
        print("\(count) sections by \(name) over \(rows) rows, one entity changed:")
        print(
            "  first \(Spread.text(first)) ms, median \(Spread.text(median)) µs, 99 % \(Spread.text(late)) µs"
        )
    }

    /// The time that a draft of one edit takes, step by step.
    private static func drafts(_ store: Store, _ rows: Int) throws {
        var names = ["create", "edit", "has changes", "conflicts", "rebase", "commit"]
        var times: [[Double]] = names.map { _ in [] }
        for round in 0..<2_000 {
            var draft: Draft?
            let id = round &* 104_729 % rows
            try store.write("Beside") { context in
                try person((id + 1) % rows, age: round % 90).save(to: &context)
            }
            let steps: [() throws -> Void] = [
                { draft = store.draft("Edit") },
                { try draft?.edit { try person(id, age: 1_000 + round).save(to: &$0) } },
                { precondition(draft?.hasChanges == true) },
                { _ = try draft?.conflicts() },
                { try draft?.rebase() },
                { _ = try draft?.commit() },
            ]
            for (number, step) in steps.enumerated() {
                times[number].append(try WallClock.seconds(step))
            }
        }
        names = zip(names, times).map { name, times in
            "\(name) \(Spread.text(times.percentile(0.5) * 1e6))"
        }
        print("draft of a store of \(rows) rows, one entity edited, median µs:")
        print("  " + names.joined(separator: ", "))
    }

    /// The time that a draft of several edited entities takes, and a write of as many, for comparison.
    private static func commits(_ store: Store, _ rows: Int, changes: Int) throws {
        var names = ["edits", "has changes", "commit", "write"]
        var times: [[Double]] = names.map { _ in [] }
        for round in 0..<max(20, 2_000 / changes) {
            // The write has rows of its own: those of the draft are in the caches by then.
            func save(_ age: Int, from start: Int, to context: inout Context) throws {
                for number in 0..<changes {
                    let id = (start + round &* changes + number) &* 104_729 % rows
                    try person(id, age: age).save(to: &context)
                }
            }
            let draft = store.draft("Edit")
            let steps: [() throws -> Void] = [
                { try draft.edit { try save(2_000 + round, from: 0, to: &$0) } },
                { precondition(draft.hasChanges) },
                { _ = try draft.commit() },
                { try store.write("Edit") { try save(5_000 + round, from: rows / 2, to: &$0) } },
            ]
            for (number, step) in steps.enumerated() {
                times[number].append(try WallClock.seconds(step))
            }
        }
        names = zip(names, times).map { name, times in
            "\(name) \(Spread.text(times.percentile(0.5) * 1e6))"
        }
        print("draft of a store of \(rows) rows, \(changes) entities edited, median µs:")
        print("  " + names.joined(separator: ", "))
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
