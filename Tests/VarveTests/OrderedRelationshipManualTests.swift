import Testing
import Varve

@EntityModel
private struct Item: Equatable {
    @AutoIncrement let id: Int
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.superitem)
    var subItems: [SubItem]?
}

@EntityModel
private struct SubItem: Equatable {
    @AutoIncrement let id: Int
    var text = ""
    @Relationship(inverse: \.subItems) var superitem: Item?
}

/// The examples of OrderedRelationship's manual, as they are written here.
@Suite("Manual of OrderedRelationship")
struct OrderedRelationshipManualTests {
    private let store: Store

    init() throws { store = try Store.inMemory(Item.self) }

    private func texts(_ id: Int = 1) -> [String] {
        Item.query(id).related(\.$subItems).resolve(in: store.context).map(\.text)
    }

    private func make(_ texts: String...) throws -> Item {
        try store.write { context in
            try context.create(Item(subItems: .relation(texts.map { SubItem(text: $0) })))
        }
    }

    @Test("Fast Syncing: B between A and C is one change, and neither A nor C is written")
    func fastSyncing() throws {
        let item = try make("A", "C")
        let report = try store.writeReporting("Insert") {
            try item.insert(SubItem(text: "B"), at: 1, relation: \.$subItems, in: &$0)
        }
        #expect(texts() == ["A", "B", "C"])
        let transaction = try #require(report.transaction)
        let changes = try transaction.changes(of: SubItem.self)
        #expect(Set(changes.map(\.id)) == [3], "\(changes)")
        #expect(try transaction.changes(of: Item.self).count == 1)
    }

    @Test("Example: an item with an ordered relation, and the inverse in the sub-item")
    func example() throws {
        let item = try store.write { try $0.create(Item()) }
        let sub = try store.write { try $0.create(SubItem(superitem: .id(item.id))) }
        let found = Item.query(item.id).with(\.$subItems).resolve(in: store.context)
        #expect(found?.subItems?.map(\.id) == [sub.id])
        #expect(SubItem.query(sub.id).related(\.$superitem).resolve(in: store.context)?.id == 1)
    }

    @Test("Resulting Code: the array is read and set, and all the work of the order is done")
    func resultingCode() throws {
        _ = try make("a", "b", "c")
        var item = try #require(Item.query(1).with(\.$subItems).resolve(in: store.context))
        var subItems = item.subItems ?? []
        #expect(subItems.map(\.text) == ["a", "b", "c"])
        subItems.swapAt(0, 2)
        subItems.append(SubItem(text: "d"))
        item.$subItems = .relation(subItems)
        try store.write { try item.save(to: &$0) }
        #expect(texts() == ["c", "b", "a", "d"])
    }

    @Test(
        "deleteRule: what leaves the array, and the array of a deleted item, go by default there and by choice here"
    )
    func deleteRule() throws {
        let item = try make("a", "b", "c")
        try store.write { try Item(id: item.id, subItems: .ids([3, 1])).save(to: &$0) }
        #expect(texts() == ["c", "a"] && store.context.count(SubItem.self) == 2)
        try store.write { _ = try item.delete(from: &$0) }
        #expect(store.context.count(SubItem.self) == 0)
        try store.undo()
        #expect(texts() == ["c", "a"])
    }

    @Test(
        "Why is the macro applied to the ordered items: here it is the array itself that is declared"
    )
    func plainArray() throws {
        let item = Item(subItems: .relation([SubItem(text: "a")]))
        #expect(item.subItems?.map(\.text) == ["a"])
    }
}
