import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Thing")
private struct Item {
    let id: String
    var name: String
    @Relationship(inverse: \.things) var boxes: [Crate]?
    @Relationship(inverse: \.item) var measure: Measure?
    @Relationship(inverse: \.things) var kind: Kind?
}

/// Shared by things of one remainder.
@EntityModel("Kind")
private struct Kind {
    let id: Int
    @Relationship(inverse: \.kind) var things: [Item]?
}

@EntityModel("Box")
private struct Crate {
    let id: String
    var label: String
    @Relationship(inverse: \.boxes) var things: [Item]?
}

@EntityModel("Measure")
private struct Measure {
    let id: Int
    var count: Int
    var size: Int?
    @Relationship(inverse: \.measure) var item: Item?
}

/// What a state holds, as lines.
private enum Shown {
    static let migration = Migration(
        "items",
        .split("Thing", into: "Measure", linkedBy: .relation("measure")) { row in
            guard try row["count", as: Int.self] % 3 > 0 else { return nil }
            var measure = SplitEntity()
            try measure.take("count", "size", from: row)
            return measure
        },
        .split("Thing", into: "Kind", linkedBy: .inverse("things")) { row in
            try SplitEntity(id: try row["count", as: Int.self] % 4)
        },
        .newIDs(of: "Thing") { row in "t\(try row.id(as: Int.self))" },
        .remove("count", of: "Thing"), .remove("size", of: "Thing"), .remove("flag", of: "Thing"))

    static let types: [any EntityModelProtocol.Type] = [
        Item.self, Crate.self, Measure.self, Kind.self,
    ]

    static func former(_ context: Context) -> Set<String> {
        var lines: Set<String> = []
        var kinds: [Int: [String]] = [:]
        for thing in ThingV1.query().id(\.$boxes).resolve(in: context) {
            let isSplit = thing.count % 3 > 0
            let measures = isSplit ? [thing.id] : []
            lines.insert("t\(thing.id) \(thing.name) in \(thing.$boxes.heldIDs), \(measures)")
            kinds[thing.count % 4, default: []].append("t\(thing.id)")
            guard isSplit else { continue }
            let size = thing.size.map { "\($0)" } ?? "-"
            lines.insert("\(thing.id): \(thing.count) \(size) of [\"t\(thing.id)\"]")
        }
        for box in BoxV1.query().id(\.$things).resolve(in: context) {
            lines.insert("\(box.id) \(box.label) has \(box.$things.heldIDs.map { "t\($0)" })")
        }
        for deleted in Deleted<ThingV1>.query().resolve(in: context) {
            lines.insert("deleted t\(deleted.entity.id) \(deleted.entity.name)")
            if deleted.entity.count % 3 > 0 { lines.insert("deleted \(deleted.entity.id)") }
            let kind = deleted.entity.count % 4
            if kinds[kind] == nil { lines.insert("deleted kind \(kind)") }
        }
        for (kind, things) in kinds { lines.insert("kind \(kind) of \(things.sorted())") }
        return lines
    }

    /// When entities and tombstones were touched last.
    static func stamps(_ context: Context) -> [String] {
        func lines<Entity: EntityModelProtocol>(_ type: Entity.Type) -> [String] {
            Entity.query().resolve(in: context).map {
                "\(Entity.self) \($0.id) \($0.updatedAt(in: context)?.timeIntervalSince1970 ?? -1)"
            }
        }
        return lines(Item.self) + lines(Crate.self) + lines(Measure.self) + lines(Kind.self)
            + lines(Deleted<Item>.self) + lines(Deleted<Crate>.self)
            + lines(Deleted<Measure>.self) + lines(Deleted<Kind>.self)
    }

    static func now(_ context: Context) -> Set<String> {
        var lines: Set<String> = []
        for item in Item.query().id(\.$boxes).id(\.$measure).resolve(in: context) {
            let measures = item.$measure.heldIDs
            lines.insert("\(item.id) \(item.name) in \(item.$boxes.heldIDs), \(measures)")
        }
        for measure in Measure.query().id(\.$item).resolve(in: context) {
            let size = measure.size.map { "\($0)" } ?? "-"
            lines.insert("\(measure.id): \(measure.count) \(size) of \(measure.$item.heldIDs)")
        }
        for crate in Crate.query().id(\.$things).resolve(in: context) {
            lines.insert("\(crate.id) \(crate.label) has \(crate.$things.heldIDs)")
        }
        for deleted in Deleted<Item>.query().resolve(in: context) {
            lines.insert("deleted \(deleted.entity.id) \(deleted.entity.name)")
        }
        for deleted in Deleted<Measure>.query().resolve(in: context) {
            lines.insert("deleted \(deleted.entity.id)")
        }
        for kind in Kind.query().id(\.$things).resolve(in: context) {
            lines.insert("kind \(kind.id) of \(kind.$things.heldIDs.sorted())")
        }
        for deleted in Deleted<Kind>.query().resolve(in: context) {
            lines.insert("deleted kind \(deleted.entity.id)")
        }
        return lines
    }
}

@Suite("Random stores whose entities are split and renumbered")
struct EntityMigrationPropertyTests: MigrationSuite {
    @Test(
        "States, their past, undo and redo are what the steps make of the former ones",
        arguments: MigrationSeeds.choose(30, nightly: 200))
    func migrations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let former = try open(disk, [ThingV1.self])
        var expected = [Shown.former(former.context)]
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            try RandomChange.write(to: former, &random)
            guard former.lastTransaction.rawValue == UInt64(expected.count) else { continue }
            expected.append(Shown.former(former.context))
            if expected.count % 10 == 9 { try former.compact() }
        }
        try former.close()
        guard expected.count > 1 else { return }
        let undone = try statesOfUndo(SimulatedDisk(disk.image))

        var store = try open(disk, Shown.types, [Shown.migration])
        #expect(Shown.now(store.context) == expected.last, "seed \(seed)")
        store.context.checkInvariants()
        let replayed = try open(SimulatedDisk(disk.image), Shown.types, [Shown.migration])
        #expect(
            Shown.stamps(replayed.context) == Shown.stamps(store.context),
            "seed \(seed), behind a replay")
        if Bool.random(using: &random) {
            try store.compact()
            try store.close()
            store = try open(disk, Shown.types, [Shown.migration])
        }
        for (transaction, lines) in expected.enumerated() {
            let id = TransactionID(UInt64(transaction))
            let past = try store.context(asOf: .transaction(id))
            #expect(Shown.now(past) == lines, "seed \(seed), behind \(transaction)")
            past.checkInvariants()
        }
        try checkUndo(store, undone, seed)
        try store.close()
        let again = try open(disk, Shown.types, [Shown.migration])
        #expect(Shown.now(again.context) == undone[0], "seed \(seed), opened again")
    }

    /// What undo leads to in a store that is not migrated.
    private func statesOfUndo(_ disk: SimulatedDisk) throws -> [Set<String>] {
        let former = try open(disk, [ThingV1.self])
        var states = [Shown.former(former.context)]
        while former.canUndo {
            try former.undo()
            states.append(Shown.former(former.context))
        }
        return states
    }

    /// Undoes all steps from before the migration, and redoes them.
    private func checkUndo(_ store: Store, _ expected: [Set<String>], _ seed: UInt64) throws {
        for (step, state) in expected.enumerated().dropFirst() {
            try store.undo()
            #expect(Shown.now(store.context) == state, "seed \(seed), undo \(step)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo, "seed \(seed)")
        for (step, state) in expected.enumerated().reversed().dropFirst() {
            try store.redo()
            #expect(Shown.now(store.context) == state, "seed \(seed), redo to \(step)")
            store.context.checkInvariants()
        }
    }
}
