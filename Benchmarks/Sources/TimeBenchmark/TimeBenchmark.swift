import Foundation
import Varve

/// How long it takes to go back: `swift run -c release TimeBenchmark [ENTITIES] [TRANSACTIONS]`.
@main
struct TimeBenchmark {
    @EntityModel
    struct Item {
        let id: Int
        var title: String
        var count: Int
        @Relationship(inverse: \.items) var list: List?
    }

    @EntityModel
    struct List {
        let id: Int
        var name: String
        @Relationship(inverse: \.list) var items: [Item]?
    }

    let directory: URL
    let entities: Int
    let transactions: Int

    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-time-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let benchmark = TimeBenchmark(
            directory: directory, entities: numbers.first ?? 1_000_000,
            transactions: numbers.dropFirst().first ?? 1_000_000)
        try benchmark.measureSteps()
        try benchmark.measureHistory()
    }

    // MARK: - Undo and the near past

    /// An undo against a write of one entity, the past of ten transactions back, and what the first
    /// undo after a relaunch costs.
    private func measureSteps() throws {
        let url = directory.appendingPathComponent("steps.varve")
        let store = try open(url, durability: .none)
        try fill(store)
        // Enough for the journal of the operating system to be warm.
        for number in 0..<2_000 { try edit(store, number) }
        try measureMoves(store, rounds: 2_000, "")
        measurePast(store, "updates")
        for number in 0..<5 {
            try store.write { try Item.delete(id: 5_000 + number, from: &$0) }
            try store.write {
                try Item(id: entities + number, title: "new", count: 1, list: .id(3))
                    .save(to: &$0)
            }
        }
        measurePast(store, "deletions and insertions")
        try store.close()
        let synced = try open(url, durability: .commit)
        try measureMoves(synced, rounds: 200, ", synced")
        try synced.compact()
        for number in 0..<100 { try edit(synced, number) }
        try synced.close()
        var store2: Store?
        Self.reportOnce("open \(entities) entities from a checkpoint") {
            store2 = try open(url, durability: .none)
        }
        guard let reopened = store2 else { return }
        Self.reportOnce("first undo behind it") { try reopened.undo() }
        Self.reportOnce("second undo") { try reopened.undo() }
        try measureFarPast(reopened)
        try reopened.close()
    }

    private func open(_ url: URL, durability: Durability) throws -> Store {
        try Store(
            at: url, durability: durability, retention: .everything, compactsAutomatically: false,
            List.self)
    }

    private func fill(_ store: Store) throws {
        try store.write { context in
            for id in 0..<entities {
                try Item(id: id, title: "item number \(id)", count: id).save(to: &context)
            }
            for id in 0..<100 {
                try List(id: id, name: "list", items: .ids((0..<100).map { id * 100 + $0 }))
                    .save(to: &context)
            }
        }
    }

    /// - Parameter note: tells edits apart: one that changes nothing is no transaction.
    private func edit(_ store: Store, _ number: Int, _ note: String = "") throws {
        let id = number &* 7_919 % entities
        try store.write {
            try Item(id: id, title: "edit \(number) of \(id)\(note)", count: -1).save(to: &$0)
        }
    }

    private func measureMoves(_ store: Store, rounds: Int, _ note: String) throws {
        Self.report("write of one entity" + note, rounds) { try edit(store, $0 + 1_000_003, note) }
        Self.report("undo of it" + note, rounds) { _ in try store.undo() }
        Self.report("redo of it" + note, rounds) { _ in try store.redo() }
    }

    private func measurePast(_ store: Store, _ what: String) {
        let then = TransactionID(store.lastTransaction.rawValue - 10)
        Self.report("context ten transactions back, \(what)", 500) { _ in
            _ = try store.context(asOf: .transaction(then))
        }
    }

    /// The state right behind the checkpoint, with ever more transactions since.
    private func measureFarPast(_ store: Store) throws {
        let then = store.lastTransaction
        var behind = 0
        for count in [1_000, 10_000, 100_000] {
            while behind < count {
                try edit(store, behind)
                behind += 1
            }
            Self.reportOnce("context \(count) transactions back") {
                _ = try store.context(asOf: .transaction(then))
            }
        }
    }

    // MARK: - History

    /// The history of one entity with a hundred versions, among very many transactions.
    private func measureHistory() throws {
        let store = try open(
            directory.appendingPathComponent("history.varve"), durability: .none)
        let items = max(1, transactions / 100)
        Self.reportOnce("\(transactions) transactions") {
            for number in 0..<transactions {
                try store.write {
                    try Item(id: number % items, title: "version \(number)", count: number)
                        .save(to: &$0)
                }
            }
        }
        var versions = 0
        Self.report("history of an entity with a hundred versions", 100) { number in
            versions = try store.history(of: Item.self, id: number &* 7_919 % items).count
        }
        print("  versions: \(versions)")
        try store.close()
    }

    // MARK: - Reports

    private static func microseconds(_ body: () throws -> Void, _ name: String) -> Double {
        let start = ContinuousClock.now
        do { try body() } catch { fatalError("\(name): \(error)") }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }

    private static func reportOnce(_ name: String, _ body: () throws -> Void) {
        print(String(format: "%12.1f us  ", microseconds(body, name)) + name)
    }

    /// The median and the mean of one call.
    private static func report(_ name: String, _ rounds: Int, _ body: (Int) throws -> Void) {
        var times: [Double] = []
        for round in 0..<rounds { times.append(microseconds({ try body(round) }, name)) }
        let mean = times.reduce(0, +) / Double(times.count)
        print(
            String(format: "%12.1f us  mean %8.1f us  ", times.sorted()[times.count / 2], mean)
                + name)
    }
}
