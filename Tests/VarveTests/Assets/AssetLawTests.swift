import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Random work with assets against a naive model, which keeps all contents of all times.
@Suite("Assets against a model")
struct AssetLawTests {
    /// The number of each photo's content by the photo's id.
    private typealias Contents = [String: Int]

    private struct Run {
        let disk = SimulatedDisk()
        var random: SeededGenerator
        var store: Store
        /// By transaction.
        var states: [Contents] = [[:]]
        /// Places in `states` that undo and redo lead to.
        var undone: [Contents] = []
        var steps: [Contents] = []
        var openings: UInt64 = 1

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            store = try openPhotos(disk)
        }

        var now: Contents { states[states.count - 1] }

        mutating func note(_ contents: Contents) { states.append(contents) }
    }

    @Test(
        "Whatever is written, undone, compacted and reopened: each asset of each kept state is there",
        arguments: 1...12 as ClosedRange<UInt64>)
    func law(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<60 {
            try step(&run)
            try check(run, seed)
        }
        try run.store.compact(retaining: .newestState)
        let rows = Photo.query().resolve(in: run.store.context)
        let trash = Deleted<Photo>.query().resolve(in: run.store.context).map(\.entity)
        let named = Set((rows + trash).compactMap { $0.image?.digest.description })
        #expect(run.disk.assetNames == named, "seed \(seed)")
    }

    private func step(_ run: inout Run) throws {
        switch Int.random(in: 0..<12, using: &run.random) {
        case 0..<5: try set(&run)
        case 5: try delete(&run)
        case 6 where run.store.canUndo && !run.steps.isEmpty:
            let target = run.steps.removeLast()
            run.undone.append(run.now)
            try run.store.undo()
            run.note(target)
        case 7 where run.store.canRedo && !run.undone.isEmpty:
            let target = run.undone.removeLast()
            run.steps.append(run.now)
            try run.store.redo()
            run.note(target)
        case 8: _ = try Asset(bytes(Int.random(in: 0..<8, using: &run.random)), in: run.store)
        case 9:
            let kept = UInt64.random(in: 0..<8, using: &run.random)
            try run.store.compact(retaining: .transactions(kept))
        case 10:
            try run.store.close()
            run.openings += 1
            run.store = try openPhotos(run.disk, seed: run.openings)
        default: try set(&run)
        }
    }

    private func set(_ run: inout Run) throws {
        let id = "\(Int.random(in: 0..<3, using: &run.random))"
        let number = Int.random(in: 0..<8, using: &run.random)
        let store = run.store
        let before = store.lastTransaction
        try store.write { context in
            try Photo(id: id, image: Asset(bytes(number), in: store)).save(to: &context)
        }
        // The content that it had: nothing is logged.
        guard store.lastTransaction > before else { return }
        run.steps.append(run.now)
        run.undone = []
        run.note(run.now.merging([id: number]) { $1 })
    }

    private func delete(_ run: inout Run) throws {
        let id = "\(Int.random(in: 0..<3, using: &run.random))"
        guard run.now[id] != nil else { return }
        try run.store.write { try Photo.delete(id: id, from: &$0) }
        run.steps.append(run.now)
        run.undone = []
        run.note(run.now.filter { $0.key != id })
    }

    private func check(_ run: Run, _ seed: UInt64) throws {
        let store = run.store
        #expect(Int(store.lastTransaction.rawValue) == run.states.count - 1, "seed \(seed)")
        try check(store.context, run.now, store, "seed \(seed)")
        let floor = Int(store.statistics.floor.rawValue)
        guard floor < run.states.count else { return }
        for transaction in [floor, (floor + run.states.count - 1) / 2] where transaction > 0 {
            let then = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            try check(
                then, run.states[transaction], store, "seed \(seed), transaction \(transaction)")
        }
    }

    private func check(
        _ context: Context, _ expected: Contents, _ store: Store, _ comment: Comment
    ) throws {
        let photos = Photo.query().resolve(in: context)
        #expect(Set(photos.map(\.id)) == Set(expected.keys), comment)
        for photo in photos {
            #expect(
                try photo.image?.data(in: store) == expected[photo.id].map { bytes($0) }, comment)
        }
    }
}
