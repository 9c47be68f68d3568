import Testing
import Varve

@EntityModel
private struct ListedShelf {
    let id: Int
    var name: String
    @Relationship(inverse: \.shelf) var books: [ListedBook]?
}

@EntityModel
private struct ListedBook {
    let id: Int
    var title: String
    @Relationship(inverse: \.books) var shelf: ListedShelf?
}

// As Docs/INTERFACE.md has them.

private func values<Entity: EntityModelProtocol, Value>(
    of path: KeyPath<Entity, Value>, in store: Store
) -> [Value] {
    Entity.query().select(path, in: store.context)
}

private func append<Parent: EntityModelProtocol, Child, Directionality, Constraint>(
    _ child: Child,
    to path: WritableKeyPath<Parent, ToManyRelation<Child, Directionality, Constraint>>,
    of parent: Parent, in context: inout Context
) throws {
    var parent = parent
    parent[keyPath: path] = .appending(relation: [child])
    try parent.save(to: &context)
}

@Suite("The examples of the page on the interface")
struct InterfaceExampleTests {
    @Test("Generic functions over key paths")
    func genericCode() throws {
        let store = try Store.inMemory(ListedShelf.self)
        try store.write { context in
            for id in 1...3 {
                try append(
                    ListedBook(id: id, title: "Book \(id)"), to: \.$books,
                    of: ListedShelf(id: 1, name: "A"), in: &context)
            }
        }
        #expect(values(of: \ListedBook.title, in: store) == ["Book 1", "Book 2", "Book 3"])
        #expect(ListedShelf.query(1).related(\.$books).count(in: store.context) == 3)
    }

    @Test("An import is no undo step, or one")
    func imports() throws {
        let store = try Store.inMemory(ListedShelf.self)
        let batches = [[ListedShelf(id: 1, name: "A")], [ListedShelf(id: 2, name: "B")]]
        let options = WriteOptions(undoable: false)
        try store.write(each: batches, "Import", options: options) { context, batch in
            try batch.save(to: &context)
        }
        #expect(!store.canUndo)
        try store.write(each: batches) { context, batch in
            try batch.map { ListedShelf(id: $0.id + 10, name: $0.name) }.save(to: &context)
        }
        #expect(store.undoSteps().count == 2)
        try store.group("Import") {
            try store.write(each: batches) { context, batch in
                try batch.map { ListedShelf(id: $0.id + 20, name: $0.name) }.save(to: &context)
            }
        }
        #expect(store.undoSteps().count == 3)
        try store.undo()
        #expect(store.context.count(ListedShelf.self) == 4)
    }
}
