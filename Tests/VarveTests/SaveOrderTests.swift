import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Item: Equatable {
    let id: Int
    var value = 0
    @Relationship var parts: [Item]? = nil
}

/// What a store holds, and in which order it was saved.
private struct OrderModel {
    /// A place among all saves: the transaction, and the number of the save in it.
    typealias Place = (transaction: UInt64, save: Int)

    var live: [Int: Place] = [:]
    var deleted: [Int: Place] = [:]
    private var saveCount = 0
    private var value = 0

    static func order(of places: [Int: Place]) -> [Int] {
        places.sorted { $0.value < $1.value }.map(\.key)
    }

    static func live(in context: Context) -> [Int] {
        QueryList<Item>.schemaQuery().resolve(in: context).map(\.id)
    }

    static func deleted(in context: Context) -> [Int] {
        QueryList<Deleted<Item>>.schemaQuery().resolve(in: context).map(\.id)
    }

    private mutating func item(_ id: Int, in transaction: UInt64, parts: [Int] = []) -> Item {
        value += 1
        saveCount += 1
        live[id] = (transaction, saveCount)
        deleted[id] = nil
        let number = value
        let parts = parts.map { item($0, in: transaction) }
        return Item(id: id, value: number, parts: parts.isEmpty ? .none : .relation(parts))
    }

    /// One random change.
    mutating func change(
        _ context: inout Context, _ random: inout SeededGenerator, in transaction: UInt64
    ) throws {
        let ids = (0..<12).shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            for id in ids.prefix(2) {
                guard try Item.delete(id: id, from: &context) else { continue }
                saveCount += 1
                live[id] = nil
                deleted[id] = (transaction, saveCount)
            }
        case 1:
            try item(ids[0], in: transaction, parts: Array(ids.dropFirst())).save(to: &context)
        case 2: for id in ids { try item(id, in: transaction).save(to: &context) }
        default: try ids.map { item($0, in: transaction) }.save(to: &context)
        }
    }

    /// Takes over what a transaction touched whose order is the library's own.
    mutating func adopt(_ context: Context, _ newest: UInt64) {
        func places<Entity: EntityModelProtocol>(
            _ type: Entity.Type, _ old: [Int: Place]
        ) -> [Int: Place] where Entity.ID == Int {
            var places: [Int: Place] = [:]
            for entity in QueryList<Entity>.schemaQuery().resolve(in: context) {
                let isTouched = entity.metadata(in: context)?.transaction == newest
                places[entity.id] = isTouched ? (newest, places.count) : old[entity.id]
            }
            return places
        }
        live = places(Item.self, live)
        deleted = places(Deleted<Item>.self, deleted)
    }

    func expectSame(_ context: Context, _ note: Comment) {
        #expect(Self.live(in: context) == Self.order(of: live), note)
        #expect(Self.deleted(in: context) == Self.order(of: deleted), note)
    }
}

@Suite("The order of the last saves")
struct SaveOrderTests {
    @Test(
        "Is the same in memory, after opening again, after compactions and undos, and in the past",
        arguments: 1...8 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let place = StoreTests.Place()
        var store = try Store(at: place.url, durability: .none, retention: .everything, Item.self)
        var model = OrderModel()
        var past: [UInt64: OrderModel] = [:]
        for step in 0..<60 {
            let note: Comment = "seed \(seed), step \(step)"
            let next = store.lastTransaction.rawValue + 1
            if Int.random(in: 0..<6, using: &random) == 0, store.canUndo {
                try store.undo()
                model.adopt(store.context, next)
            } else {
                try store.write("step") { context in
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        try model.change(&context, &random, in: next)
                    }
                }
            }
            if store.lastTransaction.rawValue == next { past[next] = model }
            model.expectSame(store.context, note)
            if Int.random(in: 0..<8, using: &random) == 0 { try store.compact() }
            if Int.random(in: 0..<6, using: &random) == 0 {
                try store.close()
                store = try Store(
                    at: place.url, durability: .none, retention: .everything, Item.self)
                model.expectSame(store.context, "opened again, \(note)")
            }
            if let (number, was) = past.randomElement(using: &random) {
                let context = try store.context(asOf: .transaction(TransactionID(number)))
                was.expectSame(context, "as of \(number), \(note)")
            }
        }
        store.context.checkInvariants()
    }

    @Test("What an undo, a redo or a rewind writes comes in insertion order")
    func reversals() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, durability: .none, retention: .everything, Item.self)
        try store.write { try (0..<6).map { Item(id: $0) }.save(to: &$0) }
        try store.write { context in
            for id in [4, 1, 5, 0, 2, 3] { try Item(id: id, value: 1).save(to: &context) }
        }
        #expect(OrderModel.live(in: store.context) == [4, 1, 5, 0, 2, 3])
        try store.undo()
        #expect(OrderModel.live(in: store.context) == [0, 1, 2, 3, 4, 5])
        try store.redo()
        #expect(OrderModel.live(in: store.context) == [0, 1, 2, 3, 4, 5])
        try store.rewind(to: .transaction(TransactionID(1)))
        #expect(OrderModel.live(in: store.context) == [0, 1, 2, 3, 4, 5])
        let past = try store.context(asOf: .transaction(TransactionID(2)))
        #expect(OrderModel.live(in: past) == [4, 1, 5, 0, 2, 3])
    }

    @Test("Rows that are saved in insertion order, or alone, cost a checkpoint nothing")
    func cost() throws {
        func size(_ ids: [Int]) throws -> UInt64 {
            let place = StoreTests.Place()
            let store = try Store(at: place.url, durability: .none, Item.self)
            try store.write { context in
                try (0..<2_000).map { Item(id: $0) }.save(to: &context)
            }
            try store.write { context in
                for id in ids { try Item(id: id, value: 1).save(to: &context) }
            }
            try store.compact(for: .size)
            return try #require(store.statistics.checkpoint).rawBytes.rawValue
        }
        let inOrder = try size(Array(0..<2_000))
        let reversed = try size((0..<2_000).reversed())
        // Four bytes a row, which are zero where rows are in order.
        #expect(reversed <= inOrder + 4 * 2_000, "\(inOrder), \(reversed)")
        let alone = try size([])
        #expect(inOrder <= alone + 32, "\(alone), \(inOrder)")
    }
}
