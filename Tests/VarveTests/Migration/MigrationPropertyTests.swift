import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Random migrations against a model")
struct MigrationPropertyTests: MigrationSuite {
    @Test(
        "States, their past, undo and redo are those that the model makes of the former ones",
        arguments: MigrationSeeds.choose(15, nightly: 40, kept: [90, 109]))
    func migrations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let former = try open(disk, [ThingV1.self], [])
        var models = [ThingsModel(former: former.context)]
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            try RandomChange.write(to: former, &random)
            guard former.lastTransaction.rawValue == UInt64(models.count) else { continue }
            models.append(ThingsModel(former: former.context))
            if models.count % 10 == 9 { try former.compact() }
        }
        var formerVersions: [Int: [ThingVersion]] = [:]
        for id in 1...6 {
            formerVersions[id] = try former.history(of: ThingV1.self, id: id).map {
                ThingVersion(former: $0)
            }
        }
        try former.close()
        guard models.count > 1 else { return }

        let change = RandomChange(&random)
        let undone = try statesOfUndo(SimulatedDisk(disk.image)).map(change.apply)
        var store = try open(disk, [ThingV2.self], change.migrations)
        let newest = UInt64(models.count)
        #expect(store.lastTransaction.rawValue == newest, "seed \(seed)")
        let expected = models.map(change.apply)
        func check(_ context: Context, _ model: ThingsModel, _ place: String) {
            #expect(ThingsModel(second: context) == model, "seed \(seed), \(place)")
            context.checkInvariants()
        }
        check(store.context, expected[models.count - 1], "migrated")
        if Bool.random(using: &random) {
            try store.compact()
            try store.close()
            store = try open(disk, [ThingV2.self], change.migrations)
        }
        for transaction in 0..<models.count {
            check(
                try store.context(asOf: .transaction(TransactionID(UInt64(transaction)))),
                expected[transaction], "behind \(transaction)")
        }
        try checkHistory(store, formerVersions.mapValues(change.apply), expected, seed)
        try checkUndo(store, undone, seed)
    }

    /// What undo leads to in a store that is not migrated, down to the empty store.
    private func statesOfUndo(_ disk: SimulatedDisk) throws -> [ThingsModel] {
        let former = try open(disk, [ThingV1.self], [])
        var states = [ThingsModel(former: former.context)]
        while former.canUndo {
            try former.undo()
            states.append(ThingsModel(former: former.context))
        }
        return states
    }

    /// Compares the versions from before the migration with what it makes of the former ones, and the last version of
    /// each transaction with the state behind it. A transaction may have two: an undo of a save that replaced a
    /// tombstone is an update to what the tombstone keeps, and a deletion. In seeds 90 and 109 it is transaction 12.
    private func checkHistory(
        _ store: Store, _ former: [Int: [ThingVersion]], _ states: [ThingsModel], _ seed: UInt64
    ) throws {
        for (id, expected) in former {
            let versions = try store.history(of: ThingV2.self, id: id)
                .map { ThingVersion(second: $0) }
                .filter { $0.transaction.rawValue < UInt64(states.count) }
            #expect(versions == expected, "seed \(seed), \(id)")
            var later: TransactionID?
            for version in versions {
                defer { later = version.transaction }
                guard version.transaction != later else { continue }
                var thing = states[Int(version.transaction.rawValue)].things[id]
                thing?.boxes = []
                #expect(version.shown == thing, "seed \(seed), \(id) in \(version.transaction)")
            }
        }
    }

    /// Undoes all steps from before the migration, and redoes them.
    private func checkUndo(_ store: Store, _ expected: [ThingsModel], _ seed: UInt64) throws {
        #expect(ThingsModel(second: store.context) == expected[0], "seed \(seed)")
        for (step, state) in expected.enumerated().dropFirst() {
            try store.undo()
            #expect(ThingsModel(second: store.context) == state, "seed \(seed), undo \(step)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo, "seed \(seed)")
        for (step, state) in expected.enumerated().reversed().dropFirst() {
            try store.redo()
            #expect(ThingsModel(second: store.context) == state, "seed \(seed), redo to \(step)")
        }
    }
}
