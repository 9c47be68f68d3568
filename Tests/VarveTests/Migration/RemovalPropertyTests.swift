import Testing
import Varve
import VarveTestSupport

@Suite("Random stores that lose types, cases and relations")
struct RemovalPropertyTests: MigrationSuite {
    @Test(
        "States, their past, undo and redo are those that the model makes of the former ones",
        arguments: MigrationSeeds.choose(20, nightly: 200))
    func migrations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let change = RandomRemoval(&random)
        let disk = SimulatedDisk()
        let former = try open(disk, Shelved.types)
        var expected = [change.former(former.context)]
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            try Shelved.write(to: former, &random)
            guard former.lastTransaction.rawValue == UInt64(expected.count) else { continue }
            expected.append(change.former(former.context))
            if expected.count % 10 == 9 { try former.compact() }
        }
        try former.close()
        guard expected.count > 1 else { return }
        let undone = try statesOfUndo(SimulatedDisk(disk.image), change)

        var store = try open(disk, change.types, change.migrations)
        #expect(change.now(store.context) == expected.last, "seed \(seed)")
        store.context.checkInvariants()
        if Bool.random(using: &random) {
            try store.compact()
            try store.close()
            store = try open(disk, change.types, change.migrations)
        }
        for (transaction, lines) in expected.enumerated() {
            let id = TransactionID(UInt64(transaction))
            let past = try store.context(asOf: .transaction(id))
            #expect(change.now(past) == lines, "seed \(seed), behind \(transaction)")
            past.checkInvariants()
        }
        try checkUndo(store, undone, change, seed)
        try store.close()
        let again = try open(disk, change.types, change.migrations)
        #expect(change.now(again.context) == undone[0], "seed \(seed), opened again")
    }

    @Test(
        "Undo of a link to an entity that a join takes brings the entity back; redo takes it again")
    func linked() throws {
        var random = SeededGenerator(seed: 1)
        var change = RandomRemoval(&random)
        while !change.keepsShelves { change = RandomRemoval(&random) }
        let disk = SimulatedDisk()
        let former = try open(disk, Shelved.types)
        try former.write("Shelf") { try Shelved.Shelf(id: "a", name: "A").save(to: &$0) }
        try former.write("Thing") { context in
            var thing = Shelved.Thing(id: 1, count: 5, mood: .low, state: .open)
            thing.$shelf = .id("a")
            try thing.save(to: &context)
        }
        try former.close()
        let store = try open(disk, change.types, change.migrations)
        #expect(change.now(store.context) == ["1 low open A 5"])
        for _ in 1...2 {
            #expect(try store.undo().label == "Thing")
            #expect(change.now(store.context) == ["shelf a A"])
            #expect(try store.undo().label == "Shelf")
            #expect(change.now(store.context) == [])
            try store.redo()
            #expect(change.now(store.context) == ["shelf a A"])
            try store.redo()
            #expect(change.now(store.context) == ["1 low open A 5"])
        }
    }

    /// What undo leads to in a store that is not migrated.
    private func statesOfUndo(
        _ disk: SimulatedDisk, _ change: RandomRemoval
    ) throws -> [Set<String>] {
        let former = try open(disk, Shelved.types)
        var states = [change.former(former.context)]
        while former.canUndo {
            try former.undo()
            states.append(change.former(former.context))
        }
        return states
    }

    /// Undoes all steps from before the migration, and redoes them.
    private func checkUndo(
        _ store: Store, _ expected: [Set<String>], _ change: RandomRemoval, _ seed: UInt64
    ) throws {
        for (step, state) in expected.enumerated().dropFirst() {
            try store.undo()
            #expect(change.now(store.context) == state, "seed \(seed), undo \(step)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo, "seed \(seed)")
        for (step, state) in expected.enumerated().reversed().dropFirst() {
            try store.redo()
            #expect(change.now(store.context) == state, "seed \(seed), redo to \(step)")
            store.context.checkInvariants()
        }
    }
}
