import Testing
import Varve
import VarveTestSupport

/// What goes on behind a migration: writes, drafts, undo of steps from before, and a second migration.
@Suite("Work behind random migrations against a model")
struct MigrationSequelTests {
    /// A store with the state behind each of its transactions, as the types of now show it.
    private struct Run {
        let seed: UInt64
        var random: SeededGenerator
        let disk: SimulatedDisk
        var store: Store
        var models: [ThingsModel]
        /// What was done last, for people.
        var last = ""

        var comment: Comment { "seed \(seed), transaction \(store.lastTransaction): \(last)" }

        mutating func note(_ model: ThingsModel) {
            guard store.lastTransaction.rawValue == UInt64(models.count) else { return }
            models.append(model)
        }
    }

    private static func open(
        _ disk: SimulatedDisk, _ types: [any EntityModelProtocol.Type], _ migrations: [Migration]
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }

    // MARK: - Changes

    /// One change of the second version's types.
    private func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        let id = Int.random(in: 1...6, using: &random)
        let box = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try ThingV2.delete(id: id, from: &context)
        case 1: try BoxV2.delete(id: box, from: &context)
        case 2: try BoxV2(id: box, label: "\(id)").save(to: &context)
        case 3:
            _ = try ThingV2.query(id).update(in: &context) { $0.$boxes = .null }
        default:
            let number = Int.random(in: 0...99, using: &random)
            if BoxV2.query(box).resolve(in: context) == nil {
                try BoxV2(id: box, label: "").save(to: &context)
            }
            try ThingV2(
                id: id, count: "c\(number)", title: "t\(number)", size: number, weight: 1,
                boxes: .id(box)
            ).save(to: &context)
        }
    }

    private func write(_ run: inout Run) throws {
        run.last = "write"
        var random = run.random
        try run.store.write("write") { try change(&$0, &random) }
        run.random = random
    }

    /// A draft that is edited, perhaps through a child and beside another write, and committed: the store shows what
    /// the draft did.
    private func commitDraft(_ run: inout Run) throws {
        run.last = "draft"
        let draft = run.store.draft("draft")
        var random = run.random
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try draft.edit { try change(&$0, &random) }
        }
        if Bool.random(using: &random) {
            let child = draft.draft("child")
            try child.edit { try change(&$0, &random) }
            let expected = ThingsModel(second: child.context)
            try child.commit()
            #expect(ThingsModel(second: draft.context) == expected, run.comment)
        }
        run.random = random
        if Int.random(in: 0..<3, using: &run.random) == 0 {
            try write(&run)
            run.note(ThingsModel(second: run.store.context))
            try draft.rebase(.keepMine)
        }
        let expected = ThingsModel(second: draft.context)
        try draft.commit()
        #expect(ThingsModel(second: run.store.context) == expected, run.comment)
    }

    /// A draft of a moment, also of one before the migration, begins with what that moment is read as.
    private func lookThroughDraft(_ run: inout Run) throws {
        run.last = "draft of the past"
        let number = Int.random(in: run.models.indices, using: &run.random)
        let draft = try run.store.draft(
            "past", asOf: .transaction(TransactionID(UInt64(number))))
        #expect(ThingsModel(second: draft.context) == run.models[number], run.comment)
        draft.context.checkInvariants()
    }

    private func step(_ run: inout Run) throws {
        switch Int.random(in: 0..<10, using: &run.random) {
        case 0, 1:
            run.last = "undo of \(run.store.undoSteps().first?.transactions ?? [])"
            if run.store.canUndo { try run.store.undo(UndoOptions(force: true)) }
        case 2:
            run.last = "redo"
            if run.store.canRedo { try run.store.redo(UndoOptions(force: true)) }
        case 3: try lookThroughDraft(&run)
        case 4..<7: try commitDraft(&run)
        default: try write(&run)
        }
        run.store.context.checkInvariants()
        run.note(ThingsModel(second: run.store.context))
    }

    // MARK: - The law

    /// A store of the first types behind random writes, migrated to the second ones.
    private func migrated(seed: UInt64) throws -> (Run, RandomChange) {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let former = try Self.open(disk, [ThingV1.self], [])
        var models = [ThingsModel(former: former.context)]
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            try RandomChange.write(to: former, &random)
            guard former.lastTransaction.rawValue == UInt64(models.count) else { continue }
            models.append(ThingsModel(former: former.context))
        }
        try former.close()
        let way = RandomChange(&random)
        let store = try Self.open(disk, [ThingV2.self], way.migrations)
        var run = Run(
            seed: seed, random: random, disk: disk, store: store, models: models.map(way.apply))
        run.note(ThingsModel(second: store.context))
        return (run, way)
    }

    @Test(
        "Writes, drafts, undo and redo go on behind a migration, and a second one reads all of the past",
        arguments: TestSize.choose(1...12, nightly: 1...40 as ClosedRange<UInt64>))
    func sequel(seed: UInt64) throws {
        var (run, way) = try migrated(seed: seed)
        for _ in 0..<15 {
            do {
                try step(&run)
            } catch {
                Issue.record("\(run.comment), \(error)")
                return
            }
        }
        if Bool.random(using: &run.random) { try run.store.compact() }
        check(run.models, run.store, run.comment) { ThingsModel(second: $0) }
        try run.store.close()

        let undone = try statesOfUndo(SimulatedDisk(run.disk.image), way)
        let store = try Self.open(
            run.disk, [ThingV3.self], way.migrations + [SecondChange.migration])
        var expected = run.models.map(SecondChange.apply)
        expected.append(expected[expected.count - 1])
        check(expected, store, run.comment) { ThingsModel(third: $0) }
        for (step, state) in undone.map(SecondChange.apply).enumerated().dropFirst() {
            try store.undo(UndoOptions(force: true))
            #expect(ThingsModel(third: store.context) == state, "seed \(seed), undo \(step)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo, "seed \(seed)")
    }

    private func check(
        _ expected: [ThingsModel], _ store: Store, _ comment: Comment,
        _ model: (Context) -> ThingsModel
    ) {
        #expect(store.lastTransaction.rawValue + 1 == UInt64(expected.count), comment)
        for number in expected.indices {
            let context = try? store.context(
                asOf: .transaction(TransactionID(UInt64(number))))
            #expect(context.map(model) == expected[number], "behind \(number), \(comment)")
        }
    }

    /// What undo leads to in the store that has not the second migration behind it.
    private func statesOfUndo(
        _ disk: SimulatedDisk, _ way: RandomChange
    ) throws -> [ThingsModel] {
        let store = try Self.open(disk, [ThingV2.self], way.migrations)
        var states = [ThingsModel(second: store.context)]
        while store.canUndo {
            try store.undo(UndoOptions(force: true))
            states.append(ThingsModel(second: store.context))
        }
        return states
    }
}
