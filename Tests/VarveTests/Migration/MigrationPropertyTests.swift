import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Thing")
private struct ThingV1 {
    let id: Int
    var count: Int
    var name: String
    var size: Int?
    var flag: Bool

    @Relationship(inverse: \.things) var boxes: [BoxV1]?
}

@EntityModel("Box")
private struct BoxV1 {
    let id: String
    var label: String

    @Relationship(inverse: \.boxes) var things: [ThingV1]?
}

@EntityModel("Thing")
private struct ThingV2 {
    let id: Int
    var count: String
    var title: String
    var size: Int
    var weight: Double

    @Relationship(inverse: \.things) var boxes: BoxV2?
}

@EntityModel("Box")
private struct BoxV2 {
    let id: String
    var label: String

    @Relationship(inverse: \.boxes) var things: [ThingV2]?
}

/// What a state holds, without a store.
private struct Model: Equatable {
    struct Thing: Equatable {
        var count: String
        var title: String
        var size: Int?
        var weight: Double?
        var boxes: [String]
    }

    var things: [Int: Thing] = [:]
    /// The ids of the things in each box, in order.
    var boxes: [String: [Int]] = [:]

    init(former context: Context) {
        for thing in ThingV1.query().id(\.$boxes).resolve(in: context) {
            things[thing.id] = Thing(
                count: "\(thing.count)", title: thing.name, size: thing.size, weight: nil,
                boxes: thing.$boxes.heldIDs)
        }
        for box in BoxV1.query().id(\.$things).resolve(in: context) {
            boxes[box.id] = box.$things.heldIDs
        }
    }

    init(_ context: Context) {
        for thing in ThingV2.query().id(\.$boxes).resolve(in: context) {
            things[thing.id] = Thing(
                count: thing.count, title: thing.title, size: thing.size, weight: thing.weight,
                boxes: thing.$boxes.heldIDs)
        }
        for box in BoxV2.query().id(\.$things).resolve(in: context) {
            boxes[box.id] = box.$things.heldIDs
        }
    }
}

/// A random way from the first types to the second, as steps and as what they mean.
private struct RandomChange {
    var migrations: [Migration] = []
    private let suffix: String
    private let size: Int
    private let factor: Double
    private let isRenamed: Bool
    private let keepsFirst: Bool

    init(_ random: inout SeededGenerator) {
        let (suffix, size, factor) = (
            "-\(Int.random(in: 0...9, using: &random))", Int.random(in: 0...9, using: &random),
            Double(Int.random(in: 1...4, using: &random)) / 2
        )
        (self.suffix, self.size, self.factor) = (suffix, size, factor)
        isRenamed = Bool.random(using: &random)
        keepsFirst = Bool.random(using: &random)
        // Before the count is a text.
        var steps: [MigrationStep] = [
            .rows(of: "Thing") {
                try $0.set("weight", to: Double($0["count", as: Int.self]) * factor)
            }
        ]
        var free: [MigrationStep] = [
            .convert("count", of: "Thing", from: Int.self, to: String.self) { "\($0)" + suffix },
            .fill("size", of: "Thing", with: size),
            .remove("flag", of: "Thing"),
            .toOne("boxes", of: "Thing", keeping: keepsFirst ? .first : .last),
        ]
        if isRenamed {
            free.append(.rename("name", of: "Thing", to: "title"))
        } else {
            free.append(
                .rows(of: "Thing") {
                    try $0.set("title", to: $0["name", as: String.self] + suffix)
                })
        }
        steps += free.shuffled(using: &random)
        if !isRenamed { steps.append(.remove("name", of: "Thing")) }
        let cut = Int.random(in: 0...steps.count, using: &random)
        migrations = [
            Migration("first", steps: Array(steps[..<cut])),
            Migration("second", steps: Array(steps[cut...])),
        ]
    }

    /// The state that the migrations make of one.
    func apply(to model: Model) -> Model {
        var changed = model
        for (id, thing) in model.things {
            let kept = keepsFirst ? thing.boxes.first : thing.boxes.last
            changed.things[id] = Model.Thing(
                count: thing.count + suffix, title: isRenamed ? thing.title : thing.title + suffix,
                size: thing.size ?? size, weight: (Double(thing.count) ?? 0) * factor,
                boxes: kept.map { [$0] } ?? [])
        }
        for (box, things) in model.boxes {
            changed.boxes[box] = things.filter { changed.things[$0]?.boxes == [box] }
        }
        return changed
    }
}

@Suite("Random migrations against a model")
struct MigrationPropertyTests {
    private func open(
        _ disk: SimulatedDisk, _ types: [any EntityModelProtocol.Type], _ migrations: [Migration]
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }

    private func change(_ store: Store, _ random: inout SeededGenerator) throws {
        let id = Int.random(in: 1...6, using: &random)
        let box = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            if store.canUndo { try store.undo() }
        case 1:
            if store.canRedo { try store.redo() }
        case 2: try store.write { try ThingV1.delete(id: id, from: &$0) }
        case 3: try store.write { try BoxV1.delete(id: box, from: &$0) }
        case 4: try store.restoreDeletion(of: ThingV1.self, id: id)
        case 5: try store.write { try BoxV1(id: box, label: "\(id)").save(to: &$0) }
        default:
            let boxes = ["a", "b", "c"].shuffled(using: &random)
                .prefix(Int.random(in: 0...3, using: &random))
            let count = Int.random(in: 0...99, using: &random)
            let isFilled = Bool.random(using: &random)
            try store.write { context in
                for name in boxes where BoxV1.query(name).resolve(in: context) == nil {
                    try BoxV1(id: name, label: "").save(to: &context)
                }
                try ThingV1(
                    id: id, count: count, name: "n\(count)", size: isFilled ? count : nil,
                    flag: isFilled, boxes: .ids(Array(boxes))
                ).save(to: &context)
            }
        }
    }

    @Test(
        "States, their past, undo and redo are those that the model makes of the former ones",
        arguments: 1...40)
    func migrations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let former = try open(disk, [ThingV1.self], [])
        var models = [Model(former: former.context)]
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            try change(former, &random)
            guard former.lastTransaction.rawValue == UInt64(models.count) else { continue }
            models.append(Model(former: former.context))
            if models.count % 10 == 9 { try former.compact() }
        }
        try former.close()
        guard models.count > 1 else { return }

        let change = RandomChange(&random)
        let undone = try statesOfUndo(SimulatedDisk(disk.image)).map(change.apply)
        var store = try open(disk, [ThingV2.self], change.migrations)
        let newest = UInt64(models.count)
        #expect(store.lastTransaction.rawValue == newest, "seed \(seed)")
        let expected = models.map(change.apply)
        func check(_ context: Context, _ model: Model, _ place: String) {
            #expect(Model(context) == model, "seed \(seed), \(place)")
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
        for id in 1...6 {
            for version in try store.history(of: ThingV2.self, id: id) {
                let transaction = Int(version.transaction.id.rawValue)
                guard transaction < expected.count, version.change == .updated else { continue }
                #expect(
                    version.entity?.count == expected[transaction].things[id]?.count,
                    "seed \(seed), \(id) in \(transaction)")
            }
        }
        try checkUndo(store, undone, seed)
    }

    /// What undo leads to in a store that is not migrated, down to the empty store.
    private func statesOfUndo(_ disk: SimulatedDisk) throws -> [Model] {
        let former = try open(disk, [ThingV1.self], [])
        var states = [Model(former: former.context)]
        while former.canUndo {
            try former.undo()
            states.append(Model(former: former.context))
        }
        return states
    }

    /// Undoes all steps from before the migration, and redoes them.
    private func checkUndo(_ store: Store, _ expected: [Model], _ seed: UInt64) throws {
        #expect(Model(store.context) == expected[0], "seed \(seed)")
        for (step, state) in expected.enumerated().dropFirst() {
            try store.undo()
            #expect(Model(store.context) == state, "seed \(seed), undo \(step)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo, "seed \(seed)")
        for (step, state) in expected.enumerated().reversed().dropFirst() {
            try store.redo()
            #expect(Model(store.context) == state, "seed \(seed), redo to \(step)")
        }
    }
}
