import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

/// Types with each kind of index, with and without a constraint.
private enum Model {
    @EntityModel
    struct Item: Equatable {
        @Index<Self>(\.rank) private var byRank
        @HashIndex<Self>(\.kind) private var byKind
        @Index<Self>(\.kind, \.rank.desc) private var byKindAndRank
        @Index<Self>(\.part, \.rank) private var byPart
        @Unique<Self>(\.code, collisions: .upsert.ignoringNil) private var byCode
        @FullTextIndex<Self>(\.note) private var words
        @HashIndex<Self>(\.phase) private var byPhase
        @HashIndex<Self>(\.level, \.part) private var byLevel
        @Index<Self>(\.weight.nilFirst) private var byWeight
        @Index<Self>(\.name.nilFirst.desc) private var byName

        let id: Int
        var rank = 0
        var kind = ""
        var note = ""
        var code: Int?
        var part = 0
        var phase = Phase.composed
        var level: Level?
        var weight: Double?
        var name: String?
        @Relationship(inverse: \.items) var box: Box?
        @Relationship(inverse: \.partners) var partners: [Item]?

        /// Ends a save that others are a part of, behind a look at all items.
        func willSave(to context: inout Context) throws {
            guard note == "refused" else { return }
            if rank > 4 { _ = Item.filter(\.kind == kind).count(in: context) }
            throw Refusal()
        }
    }

    struct Refusal: Error {}

    enum Phase: String, CaseIterable {
        case composed = "\u{E9}", z
        case long = "a text of more than 64 bytes, of which the key of an index holds a part"
    }

    enum Level: Double, CaseIterable { case none = 0, some = -1.5, most = 1e300 }

    static let weights: [Double?] = [nil, -0.0, 0, .nan, 1.5, -.infinity, 1e300]

    @EntityModel
    struct Box: Equatable {
        @Unique<Self>(\.label, collisions: .upsert) private var byLabel
        @Index<Self>(\.title) private var byTitle

        let id: String
        var label = 0
        var title = ""
        @Relationship(deleteRule: .cascade, inverse: \.box) var items: [Item]?
    }

    /// What queries find, of which an index decides.
    static func indexed(_ context: Context) -> String {
        let kinds = ["", "a", "b", "c"].map { kind in
            "\(kind): \(Item.filter(\.kind == kind).resolve(in: context).map(\.id))"
        }
        let words = ["red", "green"].map { word in
            "\(word): \(Item.filter(.string(\.note, matches: word)).resolve(in: context).map(\.id))"
        }
        let ranks = Item.filter(\.rank > 3).sorted(by: \.rank).resolve(in: context)
        let labels = (0..<12).map { label in
            Box.filter(\.label == label).resolve(in: context).map(\.id)
        }
        let codes = (0..<9).map { code in
            Item.filter(\.code == code).resolve(in: context).map(\.id)
        }
        return "\(kinds) \(words) \(ranks.map(\.id)) \(labels) \(codes)"
    }

    static func describe(_ context: Context) -> String {
        let items = Item.query().id(\.$box).id(\.$partners).resolve(in: context).map {
            "\($0) \($0.$box.heldIDs) \($0.$partners.heldIDs) \($0.updatedAt(in: context) ?? .now)"
        }
        let boxes = Box.query().id(\.$items).resolve(in: context).map {
            "\($0) \($0.$items.heldIDs)"
        }
        let gone =
            Deleted<Item>.query().resolve(in: context).map { "\($0)" }
            + Deleted<Box>.query().resolve(in: context).map { "\($0)" }
        return (items + boxes + gone + [indexed(context)]).joined(separator: "\n")
    }

    /// What is read of a few entities.
    static func glance(_ context: Context, _ random: inout SeededGenerator) -> String {
        let id = Int.random(in: 0..<90, using: &random)
        let item: Item? = context.find(id)
        let all: [Item?] = context.findAll([id, 200, id + 2])
        let existing: [Item] = context.findAllExisting([id + 1, 201, id])
        let partners = Item.query([id, id + 1]).id(\.$partners).with(\.$box).resolve(in: context)
        let box = Box.query("b\(id % 9)").related(\.$items).resolve(in: context)
        return "\(String(describing: item)) \(all) \(existing) \(partners) \(box.map(\.id))"
            + found(context, &random)
    }

    /// Titles of which the key of an index holds a part.
    private static func title(_ number: Int) -> String {
        let start = number < 4 ? String(repeating: "long ", count: 13 + number % 2) : "short "
        return start + ["e\u{301}", "\u{E9}", "z"][number % 3]
    }

    /// What some queries find that an index serves.
    private static func found(_ context: Context, _ random: inout SeededGenerator) -> String {
        func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let (rank, kind) = (number(8), ["", "a", "b", "c"][number(4)])
        let items: QueryList<Item>
        switch number(18) {
        case 11: items = Item.filter(\.phase == Phase.allCases[number(3)])
        case 12: items = Item.filter(\.level == Level.allCases[number(3)] && \.part == number(3))
        case 13: items = Item.filter(\.weight == weights[number(7)])
        case 14: items = Item.query().sorted(by: \.weight.nilFirst).limit(1 + number(4))
        case 15: items = Item.filter(\.weight < 2).sorted(by: \.weight.nilFirst.desc).limit(3)
        case 16: items = Item.query().sorted(by: \.name.nilFirst).limit(1 + number(4))
        case 17: items = Item.filter(\.name == title(number(9))).or(\.level == nil)
        case 9: items = Item.query().sorted(by: \.part).limit(1 + number(4))
        case 10: items = Item.query().sorted(by: \.part.desc).limit(1 + number(4))
        case 0: items = Item.filter(\.code == number(9))
        case 1: items = Item.filter(\.rank > rank && \.rank <= rank + 2)
        case 2: items = Item.filter(\.kind == kind && \.rank != rank)
        case 3: items = Item.query().sorted(by: \.rank).limit(1 + number(4), offset: number(3))
        case 4: items = Item.query().sorted(by: \.rank.desc).limit(1 + number(4))
        case 5: items = Item.filter(\.kind == kind).sorted(by: \.rank.desc).limit(1 + number(4))
        case 6: items = Item.query().sorted(by: \.kind).limit(2).or(\.code == number(9))
        case 7: items = Item.filter(\.rank > rank).sorted(by: \.rank, \.kind).limit(3)
        default: items = Item.filter(\.kind == kind && \.rank > rank).sorted(by: \.note)
        }
        let boxes: QueryList<Box>
        switch number(5) {
        case 0: boxes = Box.filter(\.label == number(12))
        case 1: boxes = Box.query().sorted(by: \.title).limit(1 + number(3))
        case 2: boxes = Box.query().sorted(by: \.title.desc).limit(1 + number(3))
        case 3: boxes = Box.filter(\.title == title(number(9)))
        default: boxes = Box.filter(.string(\.title, hasPrefix: "short"))
        }
        let counts = "\(items.count(in: context)) \(boxes.exists(in: context))"
        let extremes = "\(String(describing: Item.query().max(\.rank, in: context)))"
        let gone = Deleted<Item>.query().count(in: context)
        let sum = (try? items.sum(\.rank, in: context)) ?? -1
        return "\(items.resolve(in: context)) \(counts) \(extremes) \(sum) \(gone)"
            + "\(boxes.resolve(in: context)) \(Item.query().count(in: context))"
    }

    /// What queries find of which no index decides, in whatever order they ask for.
    static func scanned(_ context: Context, _ random: inout SeededGenerator) -> String {
        func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let (rank, code) = (number(8), number(9))
        let items: QueryList<Item>
        switch number(8) {
        case 0: items = Item.filter(\.rank == rank || \.code == code)
        case 1: items = Item.query().sorted(by: \.note)
        case 2: items = Item.query().sorted(by: \.note.desc, \.rank).limit(1 + number(5))
        case 3: items = Item.filter(\.rank != rank).limit(1 + number(9), offset: number(4))
        case 4: items = Item.filter(\.rank > rank).or(Item.filter(\.code == code))
        case 5: items = Item.query().limit(1 + number(9), offset: number(4))
        case 6: items = Item.filter(\.note == "green").sorted(by: \.kind.desc)
        default: items = Item.query()
        }
        let kinds = items.grouped(by: \.kind)
        var ids: [Int] = []
        items.forEach(in: context) { ids.append($0.id) }
        let related = items.related(\.$box).resolve(in: context).map(\.id)
        let partners = items.related(\.$partners).resolve(in: context).map { $0.map(\.id) }
        let all: [Item] = context.all()
        return """
            \(items.resolve(in: context)) \(items.count(in: context)) \(items.exists(in: context))
            \(String(describing: items.first().resolve(in: context)?.id)) \(ids) \(related)
            \(String(describing: items.last().resolve(in: context)?.id)) \(partners)
            \((try? items.sum(\.rank, in: context)) ?? -1) \(kinds.counts(in: context))
            \(String(describing: items.min(\.note, in: context))) \(all.map(\.id))
            \(String(describing: items.max(\.code, in: context))) \(kinds.keys(in: context))
            \(items.with(\.$box).id(\.$partners).resolve(in: context))
            \(items.select(\.rank, in: context)) \(context.danglingLinks())
            """
    }

    /// All pages of a query in insertion order, and of one that is sorted.
    static func allPages(_ context: Context, _ random: inout SeededGenerator) throws -> String {
        let rank = Int.random(in: 0..<8, using: &random)
        let queries = [
            Item.query(), Item.filter(\.rank != rank), Item.query().sorted(by: \.note),
            Item.filter(\.rank <= rank), Item.query().or(\.rank == rank),
        ]
        return try queries.map { query in
            var ids: [[Int]] = []
            var cursor: QueryCursor?
            repeat {
                let page = try query.page(after: cursor, limit: 13, in: context)
                ids.append(page.entities.map(\.id))
                cursor = page.next
            } while cursor != nil
            return "\(ids)"
        }.joined()
    }

    /// The pages of a query that an index serves.
    static func pages(_ context: Context, _ random: inout SeededGenerator) throws -> String {
        let rank = Int.random(in: 0..<8, using: &random)
        let query = Item.filter(\.rank >= rank).sorted(by: \.rank)
        let first = try query.page(limit: 3, in: context)
        let second = try query.page(after: first.end, limit: 3, in: context)
        return "\(first.entities) \(second.entities)"
    }

    static func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        func ids() -> [Int] { (0..<number(5)).map { _ in number(90) } }
        let (id, box) = (number(90), "b\(number(9))")
        switch number(12) {
        case 0, 1:
            try Item(
                id: id, rank: number(8), kind: ["a", "b", "c"][number(3)],
                note: ["red green", "green", ""][number(3)],
                code: number(3) == 0 ? number(9) : nil, part: number(3),
                phase: Phase.allCases[number(3)],
                level: number(2) == 0 ? nil : Level.allCases[number(3)],
                weight: weights[number(7)], name: number(4) == 0 ? nil : title(number(9))
            ).save(to: &context)
        case 2:
            guard var item: Item = context.find(id) else { return }
            item.rank += 1
            try item.save(to: &context)
        case 3: try Item(id: id, rank: number(8), box: .id(box)).save(to: &context)
        case 4: try Item(id: id, partners: .ids(ids())).save(to: &context)
        case 5: try Box(id: box, label: number(12), items: .ids(ids())).save(to: &context)
        case 6: try Box(id: box, label: number(12), title: title(number(9))).save(to: &context)
        case 7, 8: try Item.delete(id: id, from: &context)
        case 9 where number(4) == 0: try Box.delete(id: box, from: &context)
        case 9:
            // What was saved before the refusal is rolled back, new ids too.
            let refused = Item(id: number(120), rank: number(8), kind: "a", note: "refused")
            let items = ids().map { Item(id: $0 + 30, rank: number(8)) } + [refused]
            do {
                try Item(id: id, box: .id(box), partners: .relation(items)).save(to: &context)
            } catch is Refusal {}
        case 10: try Deleted<Item>.query(id).resolve(in: context)?.restore(in: &context)
        default:
            guard var item: Item = context.find(id) else { return }
            item.$partners = .appending(ids: ids())
            try item.save(to: &context)
        }
    }
}

/// What is loaded leaf by leaf is what an opening that fills all tables has, whatever is read and changed in whatever order.
@Suite("Stored tables, against filled tables")
struct WaitingLawTests {
    private struct Stop: Error {}

    /// What becomes of tables behind an opening.
    private enum Kind {
        /// All are filled by it.
        case filled
        /// Each is filled by what needs all of it.
        case waiting
        /// None is filled: none fits the memory budget.
        case scanned
    }

    /// One store of several that are to be the same.
    private struct Side {
        let disk = SimulatedDisk()
        let kind: Kind
        var environment: SimulatedEnvironment
        var store: Store
        var isWaiting: Bool { kind != .filled }

        init(_ image: DiskImage?, _ kind: Kind, seed: UInt64) throws {
            self.kind = kind
            environment = SimulatedEnvironment(seed: seed)
            if let image { disk.restart(with: image) }
            store = try Self.open(disk, environment, kind)
        }

        private static func open(
            _ disk: SimulatedDisk, _ environment: SimulatedEnvironment, _ kind: Kind
        ) throws -> Store {
            try Store(
                in: disk, environment: environment, configuration: LogConfiguration(),
                mode: .readWrite, durability: .commit, retention: .everything,
                compactsAutomatically: false, loading: .whenRead,
                memory: kind == .scanned ? .megabytes(0) : .standard,
                types: [Model.Item.self, Model.Box.self],
                waitingSlotsMin: kind == .filled ? .max : 0)
        }

        mutating func reopen() throws {
            try store.close()
            store = try Self.open(disk, environment, kind)
        }

        /// The types of which a table was filled, but for those of tombstones, which are always.
        var filledTypes: [String] {
            store.context.tables.tables.unfilled
                .filter { $0.hasFilled && $0.descriptor.tombstoneOwner == nil }
                .map(\.descriptor.name)
        }
    }

    /// - Returns: what the store says of the step.
    private func step(_ store: Store, _ random: inout SeededGenerator) throws -> String {
        var glances = ""
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1:
            do { try store.undo() } catch { glances = "\(error)" }
        case 2:
            do { try store.redo() } catch { glances = "\(error)" }
        case 3: return Model.glance(store.context, &random)
        case 12: return Model.scanned(store.context, &random)
        case 13: return try Model.allPages(store.context, &random)
        case 14: return try Model.pages(store.context, &random)
        case 15: try store.compact()
        case 4: return Model.indexed(store.context)
        case 5: return Model.describe(store.context)
        case 6:
            let before = store.context
            let content = Model.glance(before, &random)
            try store.write { try Model.change(&$0, &random) }
            return content + Model.indexed(before)
        default:
            let isStopped = Int.random(in: 0..<5, using: &random) == 0
            let count = Int.random(in: 1...6, using: &random)
            do {
                try store.write { context in
                    for _ in 0..<count {
                        try Model.change(&context, &random)
                        if Int.random(in: 0..<6, using: &random) == 0 {
                            glances += Model.glance(context, &random)
                        }
                        if Int.random(in: 0..<24, using: &random) == 0 {
                            glances += Model.indexed(context)
                        }
                        if Int.random(in: 0..<24, using: &random) == 0 {
                            glances += Model.scanned(context, &random)
                        }
                    }
                    if isStopped { throw Stop() }
                }
            } catch is Stop {}
        }
        return glances + " \(store.lastTransaction)"
    }

    private func makeImage(_ random: inout SeededGenerator, seed: UInt64) throws -> DiskImage {
        let side = try Side(nil, .filled, seed: seed)
        for number in 0..<40 {
            try side.store.write { context in
                for _ in 0..<8 { try Model.change(&context, &random) }
            }
            if number == 30 { try side.store.compact() }
        }
        try side.store.close()
        return side.disk.image
    }

    @Test(
        "Reads, writes, undos and what they log are the same",
        arguments: TestSize.choose(1...24, nightly: 1...400 as ClosedRange<UInt64>))
    func same(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let image = try makeImage(&random, seed: seed)
        var waiting = try Side(image, .waiting, seed: seed)
        var scanning = try Side(image, .scanned, seed: seed)
        var filled = try Side(image, .filled, seed: seed)
        for number in 0..<40 {
            var (other, third) = (random, random)
            let found = try step(waiting.store, &random)
            let expected = try step(filled.store, &other)
            #expect(found == expected, "seed \(seed), step \(number)")
            let scanned = try step(scanning.store, &third)
            #expect(scanned == expected, "seed \(seed), step \(number), scanned")
            #expect(scanning.filledTypes == [], "seed \(seed), step \(number)")
            guard found == expected, scanned == expected, scanning.filledTypes == [] else { return }
            if Int.random(in: 0..<6, using: &random) == 0 {
                waiting.store.context.checkInvariants()
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try waiting.reopen()
                try scanning.reopen()
                try filled.reopen()
            }
        }
        waiting.store.context.checkInvariants()
        let content = Model.describe(scanning.store.context)
        #expect(content == Model.describe(filled.store.context), "seed \(seed), scanned")
        #expect(scanning.filledTypes == [], "seed \(seed)")
        // That fills the tables, and looks into them.
        scanning.store.context.checkInvariants()
        try scanning.store.close()
        try checkPast(waiting, filled, seed: seed)
    }

    /// Items in the order of their ids, of which the first are in a box with the label 1. Number 2 has no row, and so a slot
    /// before those of items that are there.
    private func makeBoxedItems() throws -> DiskImage {
        let side = try Side(nil, .filled, seed: 1)
        // By itself: in one transaction rows would come to slots before ids that are linked alone.
        try side.store.write { context in
            try Model.Box(id: "b1", label: 1, items: .ids([0, 1, 2, 3])).save(to: &context)
        }
        try side.store.write { context in
            for id in 0..<8 where id != 2 { try Model.Item(id: id, rank: id).save(to: &context) }
        }
        try side.store.compact()
        try side.store.close()
        return side.disk.image
    }

    private func isFilled<Entity: EntityModelProtocol>(
        _ type: Entity.Type, in context: Context
    ) -> Bool {
        context.tables.tables.unfilled.contains {
            $0.descriptor === Entity._descriptor && $0.hasFilled
        }
    }

    /// The order of items behind a save that is rolled back, in which their table was filled.
    private func orderBehindRefusal(in side: Side) throws -> [[Int]] {
        let store = side.store
        // It comes behind all others: the table needs a map of the order, which its source lacks.
        try store.write { try Model.Item(id: 2, rank: 2).save(to: &$0) }
        #expect(isFilled(Model.Item.self, in: store.context) != side.isWaiting)
        var orders: [[Int]] = []
        func noteOrder(_ context: Context) {
            orders.append(Model.Item.query().resolve(in: context).map(\.id))
        }
        try store.write { context in
            let refused = Model.Item(id: 9, rank: 5, kind: "a", note: "refused")
            // The box takes the label of the other, which goes with its items. Then the hook of the refused one looks at all
            // items, before the save has returned.
            #expect(throws: Model.Refusal.self) {
                try Model.Box(id: "b2", label: 1, items: .relation([refused])).save(to: &context)
            }
            noteOrder(context)
            try Model.Item(id: 10).save(to: &context)
            noteOrder(context)
        }
        noteOrder(store.context)
        return orders
    }

    @Test("Rows are in the same order behind a save that is rolled back, if it filled their table")
    func orderBehindRefusal() throws {
        let image = try makeBoxedItems()
        let waiting = try Side(image, .waiting, seed: 1)
        let filled = try Side(image, .filled, seed: 1)
        let orders = try orderBehindRefusal(in: filled)
        let ids = [0, 1, 3, 4, 5, 6, 7, 2]
        #expect(orders == [ids, ids + [10], ids + [10]])
        try #require(try orderBehindRefusal(in: waiting) == orders)
        waiting.store.context.checkInvariants()
        try checkPast(waiting, filled, seed: 1)
    }

    /// Each state that the logs lead to is the same.
    private func checkPast(_ waiting: Side, _ filled: Side, seed: UInt64) throws {
        let content = Model.describe(waiting.store.context)
        #expect(content == Model.describe(filled.store.context), "seed \(seed)")
        try waiting.store.close()
        let logged = try Side(waiting.disk.image, .filled, seed: seed)
        #expect(content == Model.describe(logged.store.context), "seed \(seed), as logged")
        #expect(logged.store.lastTransaction == filled.store.lastTransaction)
        for number in stride(from: 30, to: filled.store.lastTransaction.rawValue, by: 7) {
            let (first, second) = (
                try logged.store.context(asOf: .transaction(TransactionID(number))),
                try filled.store.context(asOf: .transaction(TransactionID(number)))
            )
            #expect(Model.describe(first) == Model.describe(second), "seed \(seed), \(number)")
        }
        try logged.store.close()
        try filled.store.close()
    }
}
