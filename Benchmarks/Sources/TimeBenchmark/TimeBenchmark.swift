import Foundation
import Varve

/// How long it takes to go back: `swift run -c release TimeBenchmark [ENTITIES]`.
///
/// An undo against a write of one entity, on a store on disk that waits for the system only, and
/// the past of ten transactions back.
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

    static func main() throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-time-\(UUID().uuidString).varve")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try Store(
            at: url, durability: .none, compactsAutomatically: false, List.self)
        try store.write { context in
            for id in 0..<count {
                try Item(id: id, title: "item number \(id)", count: id).save(to: &context)
            }
            for id in 0..<100 {
                try List(id: id, name: "list", items: .ids((0..<100).map { id * 100 + $0 }))
                    .save(to: &context)
            }
        }
        let rounds = 2_000
        func edit(_ number: Int) throws {
            let id = number &* 7_919 % count
            try store.write { try Item(id: id, title: "edit \(number)", count: 0).save(to: &$0) }
        }
        // Enough for the journal of the operating system to be warm.
        for number in 0..<rounds { try edit(number) }
        report("write of one entity", rounds) { try edit($0 + rounds) }
        report("undo of it", rounds) { _ in try store.undo() }
        report("redo of it", rounds) { _ in try store.redo() }
        report("context ten transactions back, updates", 500) { _ in
            let last = store.lastTransaction.rawValue
            _ = try store.context(asOf: .transaction(TransactionID(last - 10)))
        }
        for number in 0..<5 {
            try store.write { try Item.delete(id: 5_000 + number, from: &$0) }
            try store.write {
                try Item(id: count + number, title: "new", count: 1, list: .id(3)).save(to: &$0)
            }
        }
        report("context ten transactions back, deletions and insertions", 500) { _ in
            let last = store.lastTransaction.rawValue
            _ = try store.context(asOf: .transaction(TransactionID(last - 10)))
        }
        report("history of an entity with two versions", 500) { _ in
            _ = try store.history(of: Item.self, id: 7_919 % count)
        }
        try store.close()
    }

    /// The median and the mean of one call.
    static func report(_ name: String, _ rounds: Int, _ body: (Int) throws -> Void) {
        var times: [Double] = []
        for round in 0..<rounds {
            let start = ContinuousClock.now
            do { try body(round) } catch { fatalError("\(name): \(error)") }
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            times.append(Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
        }
        let mean = times.reduce(0, +) / Double(times.count)
        print(
            String(
                format: "%8.1f us  mean %8.1f us  ", times.sorted()[times.count / 2], mean) + name)
    }
}
