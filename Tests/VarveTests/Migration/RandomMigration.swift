import Foundation
import Varve
import VarveTestSupport

/// How many random stores a test migrates; `VARVE_MIGRATION_COUNT` says another number.
enum MigrationSeeds {
    /// - Parameter kept: seeds of rare stores, which are chosen at any number.
    static func choose(_ usual: UInt64, nightly: UInt64, kept: [UInt64] = []) -> [UInt64] {
        let variable = ProcessInfo.processInfo.environment["VARVE_MIGRATION_COUNT"]
        let count = max(
            1, variable.flatMap { UInt64($0) } ?? TestSize.choose(usual, nightly: nightly))
        return Array(1...count) + kept.filter { $0 > count }
    }
}

// Three versions of two types, what their states hold, and random ways from one version to the next.

@EntityModel("Thing")
struct ThingV1 {
    let id: Int
    var count: Int
    var name: String
    var size: Int?
    var flag: Bool

    @Relationship(inverse: \.things) var boxes: [BoxV1]?
}

@EntityModel("Box")
struct BoxV1 {
    let id: String
    var label: String

    @Relationship(inverse: \.boxes) var things: [ThingV1]?
}

@EntityModel("Thing")
struct ThingV2 {
    let id: Int
    var count: String
    var title: String
    var size: Int
    var weight: Double

    @Relationship(inverse: \.things) var boxes: BoxV2?
}

@EntityModel("Box")
struct BoxV2 {
    let id: String
    var label: String

    @Relationship(inverse: \.boxes) var things: [ThingV2]?
}

@EntityModel("Thing")
struct ThingV3 {
    let id: Int
    /// The number of characters that the text had.
    var count: Int
    var title: String
    var size: Int
    var note: String = "new"

    @Relationship(inverse: \.things) var boxes: BoxV3?
}

@EntityModel("Box")
struct BoxV3 {
    let id: String
    var label: String

    @Relationship(inverse: \.boxes) var things: [ThingV3]?
}

/// What a state holds, without a store.
struct ThingsModel: Equatable {
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

    init(second context: Context) {
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

extension ThingsModel {
    init(third context: Context) {
        for thing in ThingV3.query().id(\.$boxes).resolve(in: context) {
            things[thing.id] = Thing(
                count: "\(thing.count)", title: thing.title + thing.note, size: thing.size,
                weight: nil, boxes: thing.$boxes.heldIDs)
        }
        for box in BoxV3.query().id(\.$things).resolve(in: context) {
            boxes[box.id] = box.$things.heldIDs
        }
    }
}

/// A version of a thing, without its links.
struct ThingVersion: Equatable {
    let transaction: TransactionID
    let change: VersionChange
    var thing: ThingsModel.Thing?

    init(former version: EntityVersion<ThingV1>) {
        (transaction, change) = (version.transaction.id, version.change)
        thing = version.entity.map {
            ThingsModel.Thing(
                count: "\($0.count)", title: $0.name, size: $0.size, weight: nil, boxes: [])
        }
    }

    init(second version: EntityVersion<ThingV2>) {
        (transaction, change) = (version.transaction.id, version.change)
        thing = version.entity.map {
            ThingsModel.Thing(
                count: $0.count, title: $0.title, size: $0.size, weight: $0.weight, boxes: [])
        }
    }

    /// What the state behind the transaction shows, if this is its last version of the thing.
    var shown: ThingsModel.Thing? { change == .deleted ? nil : thing }
}

/// The way from the second types to the third, as a migration and as what it means, now and for the past: no property
/// that stays gets another value, because states of the past have theirs of then.
enum SecondChange {
    static let migration = Migration(
        "third",
        .convert("count", of: "Thing", from: String.self, to: Int.self) { $0.count },
        .rows(of: "Thing") { try $0.set("note", to: $0["title", as: String.self] + "!") },
        .remove("weight", of: "Thing"))

    static func apply(to model: ThingsModel) -> ThingsModel {
        var changed = model
        for (id, thing) in model.things {
            changed.things[id]?.count = "\(thing.count.count)"
            changed.things[id]?.title = thing.title + thing.title + "!"
            changed.things[id]?.weight = nil
        }
        return changed
    }
}

/// A random way from the first types to the second, as steps and as what they mean.
struct RandomChange {
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
    func apply(to model: ThingsModel) -> ThingsModel {
        var changed = model
        changed.things = model.things.mapValues(apply)
        for (box, things) in model.boxes {
            changed.boxes[box] = things.filter { changed.things[$0]?.boxes == [box] }
        }
        return changed
    }

    private func apply(to thing: ThingsModel.Thing) -> ThingsModel.Thing {
        let kept = keepsFirst ? thing.boxes.first : thing.boxes.last
        return ThingsModel.Thing(
            count: thing.count + suffix, title: isRenamed ? thing.title : thing.title + suffix,
            size: thing.size ?? size, weight: (Double(thing.count) ?? 0) * factor,
            boxes: kept.map { [$0] } ?? [])
    }

    /// The versions that the migrations make of those of a thing.
    func apply(to versions: [ThingVersion]) -> [ThingVersion] {
        versions.map { version in
            var changed = version
            changed.thing = version.thing.map(apply)
            return changed
        }
    }
}

extension RandomChange {
    /// A random change of a store of the first types.
    static func write(to store: Store, _ random: inout SeededGenerator) throws {
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
}
