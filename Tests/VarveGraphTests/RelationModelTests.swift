import Testing
import VarveTestSupport

@testable import VarveGraph

/// Random changes of links of every kind, compared with lists in dictionaries.
@Suite("Relations against a naive model")
struct RelationModelTests {
    struct Refusal: Error {}

    @EntityModel
    struct Ball {
        let id: Int
        var fails = false
        @Relationship(inverse: \.balls) var box: Crate?
        @Relationship(inverse: \.lid) var cover: Crate?
        @Relationship(inverse: \.seen) var seenBy: [Crate]?
        @Relationship(inverse: \.children) var parent: Ball?
        @Relationship(inverse: \.parent) var children: [Ball]?
        @Relationship(inverse: \.next) var previous: Ball?
        @Relationship(inverse: \.previous) var next: Ball?
        @Relationship(inverse: \.friends) var friends: [Ball]?
        @Relationship(inverse: \.partner) var partner: Ball?
        @Relationship var watched: [Ball]? = nil
        /// Declared by the crate alone.
        @Relationship() var owners: [Crate]?

        func didSave(to context: inout Context) throws { if fails { throw Refusal() } }
    }

    @EntityModel
    struct Crate {
        let id: Int
        var fails = false
        @Relationship(inverse: \.box) var balls: [Ball]?
        @Relationship(inverse: \.cover) var lid: Ball?
        @Relationship(inverse: \.seenBy) var seen: [Ball]?
        @Relationship(inverse: \.owners) var owned: [Ball]?

        func didSave(to context: inout Context) throws { if fails { throw Refusal() } }
    }

    /// One relation for the model: its owner's type, its name, and its other side.
    struct Side: Hashable {
        let type: String
        let name: String
    }

    struct Model {
        /// Target type, whether to many, the other side's name.
        static let sides: [Side: (target: String, isToMany: Bool, inverse: String?)] = [
            Side(type: "ball", name: "box"): ("crate", false, "balls"),
            Side(type: "ball", name: "cover"): ("crate", false, "lid"),
            Side(type: "ball", name: "seenBy"): ("crate", true, "seen"),
            Side(type: "ball", name: "parent"): ("ball", false, "children"),
            Side(type: "ball", name: "children"): ("ball", true, "parent"),
            Side(type: "ball", name: "previous"): ("ball", false, "next"),
            Side(type: "ball", name: "next"): ("ball", false, "previous"),
            Side(type: "ball", name: "friends"): ("ball", true, "friends"),
            Side(type: "ball", name: "partner"): ("ball", false, "partner"),
            Side(type: "ball", name: "watched"): ("ball", true, nil),
            Side(type: "ball", name: "owners"): ("crate", true, "owned"),
            Side(type: "crate", name: "balls"): ("ball", true, "box"),
            Side(type: "crate", name: "lid"): ("ball", false, "cover"),
            Side(type: "crate", name: "seen"): ("ball", true, "seenBy"),
            Side(type: "crate", name: "owned"): ("ball", true, "owners"),
        ]

        var lists: [Side: [Int: [Int]]] = [:]
        /// The ids of the entities that are there, by type.
        var live: [String: Set<Int>] = [:]

        /// What a delete leaves: nothing on the entity's side, and nothing on the other sides that
        /// know of it.
        mutating func delete(_ type: String, _ id: Int) {
            guard live[type]?.remove(id) != nil else { return }
            for side in Model.sides.keys where side.type == type { replace(side, id, []) }
        }

        func list(_ side: Side, _ id: Int) -> [Int] { lists[side]?[id] ?? [] }

        mutating func cut(_ side: Side, _ first: Int, _ second: Int) {
            lists[side, default: [:]][first, default: []].removeAll { $0 == second }
        }

        mutating func unlink(_ side: Side, _ first: Int, _ second: Int) {
            cut(side, first, second)
            guard let (target, _, inverse) = Model.sides[side], let inverse else { return }
            cut(Side(type: target, name: inverse), second, first)
        }

        mutating func add(_ side: Side, _ first: Int, _ second: Int) {
            var list = list(side, first)
            if !list.contains(second) { list.append(second) }
            lists[side, default: [:]][first] = list
        }

        /// Links two, after freeing whoever can have one partner only.
        mutating func link(_ side: Side, _ first: Int, _ second: Int) {
            guard let (target, isToMany, inverse) = Model.sides[side] else { return }
            if !isToMany {
                for old in list(side, first) where old != second { unlink(side, first, old) }
            }
            if let inverse {
                let back = Side(type: target, name: inverse)
                if Model.sides[back]?.isToMany == false {
                    for old in list(back, second) where old != first { unlink(back, second, old) }
                }
                add(side, first, second)
                add(back, second, first)
            } else {
                add(side, first, second)
            }
        }

        mutating func replace(_ side: Side, _ id: Int, _ new: [Int]) {
            for old in list(side, id) where !new.contains(old) { unlink(side, id, old) }
            for child in new { link(side, id, child) }
            lists[side, default: [:]][id] = new
        }
    }

    /// Applies one change to a ball's or a crate's relation and saves it.
    private func save(
        _ side: Side, _ id: Int, _ ids: [Int], appending: Bool, fails: Bool,
        to context: inout Context
    ) throws {
        var ball = Ball(id: id, fails: fails)
        var crate = Crate(id: id, fails: fails)
        func many<Child, Direction>(
            _ ids: [Int]
        ) -> Relation<Child, Direction, Relations.ToMany<Child>, Relations.Required>
        where Child: EntityModelProtocol, Child.ID == Int {
            appending ? .appending(ids: ids) : .ids(ids)
        }
        func one<Child, Direction>(
            _ ids: [Int]
        ) -> Relation<Child, Direction, Relations.ToOne<Child>, Relations.Optional>
        where Child: EntityModelProtocol, Child.ID == Int {
            ids.first.map { .id($0) } ?? .null
        }
        switch (side.type, side.name) {
        case ("ball", "box"): ball.$box = one(ids)
        case ("ball", "cover"): ball.$cover = one(ids)
        case ("ball", "seenBy"): ball.$seenBy = many(ids)
        case ("ball", "parent"): ball.$parent = one(ids)
        case ("ball", "children"): ball.$children = many(ids)
        case ("ball", "previous"): ball.$previous = one(ids)
        case ("ball", "next"): ball.$next = one(ids)
        case ("ball", "friends"): ball.$friends = many(ids)
        case ("ball", "partner"): ball.$partner = one(ids)
        case ("ball", "watched"): ball.$watched = many(ids)
        case ("ball", "owners"): ball.$owners = many(ids)
        case ("crate", "balls"): crate.$balls = many(ids)
        case ("crate", "lid"): crate.$lid = one(ids)
        case ("crate", "seen"): crate.$seen = many(ids)
        default: crate.$owned = many(ids)
        }
        if side.type == "ball" {
            try ball.save(to: &context)
        } else {
            try crate.save(to: &context)
        }
    }

    /// All lists that the context holds, by relation name.
    private func lists(in context: Context) -> [Side: [Int: [Int]]] {
        var found: [Side: [Int: [Int]]] = [:]
        for type in ["ball", "crate"] {
            let descriptor = type == "ball" ? Ball._descriptor : Crate._descriptor
            guard let position = context.tables.position(of: descriptor) else { continue }
            for (index, relation) in descriptor.relations.enumerated() {
                let side = Side(type: type, name: relation.name)
                let table = context.tables.tables[position]
                let child = relation.child == Ball.self ? "ball" : "crate"
                for slot in 0..<UInt32(table.slotCount) {
                    let ids = context.links(of: slot, relation: index, table: position).slots
                        .map { id(of: $0, type: child, in: context) }
                    if !ids.isEmpty {
                        found[side, default: [:]][id(of: slot, type: type, in: context)] = ids
                    }
                }
            }
        }
        return found
    }

    private func id(of slot: UInt32, type: String, in context: Context) -> Int {
        type == "ball"
            ? context.table(of: Ball.self)?.id(of: Slot(slot)) ?? -1
            : context.table(of: Crate.self)?.id(of: Slot(slot)) ?? -1
    }

    @Test(
        "links stay symmetric and equal those of the model, through saves, detaching and failures")
    func randomChanges() throws {
        for seed: UInt64 in 1...20 {
            var generator = SeededGenerator(seed: seed)
            var context = Context()
            var model = Model()
            let sides = Model.sides.keys.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
            for step in 0..<150 {
                let side = sides[Int.random(in: 0..<sides.count, using: &generator)]
                let isToMany = Model.sides[side]?.isToMany == true
                let id = Int.random(in: 0..<6, using: &generator)
                let count = Int.random(in: 0...(isToMany ? 4 : 1), using: &generator)
                var ids: [Int] = []
                for _ in 0..<count { ids.append(Int.random(in: 0..<6, using: &generator)) }
                let appending = isToMany && Bool.random(using: &generator)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    model.delete(side.type, id)
                    if side.type == "ball" {
                        try Ball.delete(id: id, from: &context)
                    } else {
                        try Crate.delete(id: id, from: &context)
                    }
                case 1:
                    #expect(throws: Refusal.self) {
                        try save(side, id, ids, appending: appending, fails: true, to: &context)
                    }
                default:
                    try save(side, id, ids, appending: appending, fails: false, to: &context)
                    model.live[side.type, default: []].insert(id)
                    if appending {
                        for child in ids { model.link(side, id, child) }
                    } else {
                        var seen: Set<Int> = []
                        model.replace(side, id, ids.filter { seen.insert($0).inserted })
                    }
                }
                context.checkInvariants()
                let expected = model.lists.mapValues { $0.filter { !$0.value.isEmpty } }
                    .filter { !$0.value.isEmpty }
                try #require(
                    lists(in: context) == expected,
                    "seed \(seed), step \(step): \(side.name) of \(id) with \(ids), \(appending)")
            }
        }
    }
}
