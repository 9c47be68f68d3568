import BenchmarkSupport
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
        try measurePast(store, "updates")
        for number in 0..<5 {
            let id = min(5_000, entities / 2) + number
            try store.write { try Item.delete(id: id, from: &$0) }
            try store.write {
                try Item(id: entities + number, title: "new", count: 1, list: .id(3))
                    .save(to: &$0)
            }
        }
        try measurePast(store, "deletions and insertions")
        try store.close()
        let synced = try open(url, durability: .commit)
        try measureMoves(synced, rounds: 200, ", synced")
        try synced.compact()
        for number in 0..<100 { try edit(synced, number, ", behind the checkpoint") }
        try synced.close()
        var store2: Store?
        try Self.reportOnce("open \(entities) entities from a checkpoint") {
            store2 = try open(url, durability: .none)
        }
        guard let reopened = store2 else { return }
        try Self.reportOnce("first undo behind it") { try reopened.undo() }
        try Self.reportOnce("second undo") { try reopened.undo() }
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
        try Self.report("write of one entity" + note, rounds) {
            try edit(store, $0 + 1_000_003, note)
        }
        try Self.report("undo of it" + note, rounds) { _ in try store.undo() }
        try Self.report("redo of it" + note, rounds) { _ in try store.redo() }
    }

    private func measurePast(_ store: Store, _ what: String) throws {
        let then = TransactionID(store.lastTransaction.rawValue - 10)
        try Self.report("context ten transactions back, \(what)", 500) { _ in
            _ = try store.context(asOf: .transaction(then))
        }
    }

    /// The state right behind the checkpoint, with ever more transactions since.
    private func measureFarPast(_ store: Store) throws {
        let then = store.lastTransaction
        var behind = 0
        for count in [1_000, 10_000, 100_000] {
            while behind < count {
                try edit(store, behind, ", far from it")
                behind += 1
            }
            try Self.reportOnce("context \(count) transactions back") {
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
        try Self.reportOnce("\(transactions) transactions") {
            for number in 0..<transactions {
                try store.write {
                    try Item(id: number % items, title: "version \(number)", count: number)
                        .save(to: &$0)
                }
            }
        }
        var versions = 0
        try Self.report("history of an entity with a hundred versions", 100) { number in
            versions = try store.history(of: Item.self, id: number &* 7_919 % items).count
        }
        print("  versions: \(versions)")
        try store.close()
    }

    // MARK: - Reports

    private static func reportOnce(_ name: String, _ body: () throws -> Void) rethrows {
        let time = try WallClock.seconds(body) * 1e6
        print(String(format: "%12.1f us  ", time) + name)
    }

    /// The median and the mean of one call.
    private static func report(
        _ name: String, _ rounds: Int, _ body: (Int) throws -> Void
    ) rethrows {
        let times = try WallClock.latencies(rounds, body).map { $0 * 1e6 }
        let mean = times.reduce(0, +) / Double(times.count)
        print(
            String(format: "%12.1f us  mean %8.1f us  ", times.percentile(0.5), mean) + name)
    }
}
