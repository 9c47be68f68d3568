import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Random writes, undos, redos, reopenings, crashes and compactions against a model that keeps whole
/// snapshots.
@Suite("Undo equals snapshots")
struct UndoLawTests {
    /// What a scope's stacks must come to.
    struct Model {
        var past: [String] = []
        var future: [String] = []
    }

    private func open(_ disk: SimulatedDisk, seed: UInt64) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(16_384)
        configuration.frameBytesMax = ByteCount(2_048)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .everything,
            compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }

    @Test(
        "Any order of writes, undos, redos, reopenings, crashes and compactions",
        arguments: 1...16 as ClosedRange<UInt64>)
    func undoEqualsSnapshots(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var disk = SimulatedDisk()
        var store = try open(disk, seed: seed)
        var model = Model()
        var snapshots: [String] = [describe(store.context)]
        for step in 0..<90 {
            let before = content(store.context)
            switch Int.random(in: 0..<14, using: &random) {
            case 0..<6:
                let last = store.lastTransaction
                try store.write("step \(step)") { context in
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        try ReplayLawTests().change(&context, &random)
                    }
                }
                if store.lastTransaction > last {
                    model.past.append(before)
                    model.future = []
                }
            case 6..<9:
                #expect(store.canUndo == !model.past.isEmpty, "seed \(seed) step \(step)")
                guard let expected = model.past.popLast() else { continue }
                try store.undo()
                #expect(
                    difference(expected, content(store.context)) == nil,
                    "undo, seed \(seed) step \(step)")
                model.future.append(before)
            case 9..<11:
                #expect(store.canRedo == !model.future.isEmpty, "seed \(seed) step \(step)")
                guard let expected = model.future.popLast() else { continue }
                try store.redo()
                #expect(
                    difference(expected, content(store.context)) == nil,
                    "redo, seed \(seed) step \(step)")
                model.past.append(before)
            case 11:
                try store.close()
                store = try open(disk, seed: seed &+ UInt64(step))
                #expect(content(store.context) == before, "seed \(seed) step \(step)")
            case 12:
                // Everything acknowledged is on the disk.
                disk = SimulatedDisk(disk.image)
                store = try open(disk, seed: seed &+ UInt64(step))
                #expect(content(store.context) == before, "seed \(seed) step \(step)")
            default: try store.compact()
            }
            store.context.checkInvariants()
            if UInt64(snapshots.count) <= store.lastTransaction.rawValue {
                snapshots.append(describe(store.context))
            }
            #expect(UInt64(snapshots.count) == store.lastTransaction.rawValue + 1)
            let some = Int.random(in: 0..<snapshots.count, using: &random)
            try check(store, some, snapshots, "seed \(seed) step \(step)")
        }
        for number in snapshots.indices { try check(store, number, snapshots, "seed \(seed)") }
    }

    private func check(
        _ store: Store, _ number: Int, _ snapshots: [String], _ comment: Comment
    ) throws {
        let then = try store.context(asOf: .transaction(TransactionID(UInt64(number))))
        #expect(
            difference(snapshots[number], describe(then)) == nil, "as of \(number): \(comment)")
        then.checkInvariants()
    }
}
