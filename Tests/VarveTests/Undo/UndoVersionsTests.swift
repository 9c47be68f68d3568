import Foundation
import Testing
import Varve
import VarveTestSupport

/// Who wrote last decides what can be undone, and not which values there are.
@Suite("Undo decides conflicts by versions")
struct UndoVersionsTests {
    private func store() throws -> Store { try Store.inMemory(Author.self, Shelf.self) }

    private func write(
        _ store: Store, _ scope: String, _ body: (inout Context) throws -> Void
    ) throws {
        try store.write(options: WriteOptions(scope: scope), body)
    }

    /// What stands against something, as people read it.
    private func conflicts(_ body: () throws -> Void) throws -> [String] {
        do {
            try body()
            return []
        } catch StoreError.conflicts(let conflicts) {
            return conflicts.map(\.description).sorted()
        }
    }

    private func set(_ number: Int, of id: String, in context: inout Context) throws {
        try Author(id: id, name: id, born: number).save(to: &context)
    }

    private func numbers(_ store: Store) -> [Int?] {
        Author.query().resolve(in: store.context).map(\.born)
    }

    @Test("A value that another step brought back is that step's")
    func equalValues() throws {
        let store = try store()
        try store.write(options: WriteOptions(undoable: false)) { context in
            for (id, number) in [("0", 10), ("1", 0), ("2", 10)] {
                try set(number, of: id, in: &context)
            }
        }
        try write(store, "A") { context in
            try set(5, of: "0", in: &context)
            try set(5, of: "1", in: &context)
        }
        try write(store, "B") { context in
            try set(5, of: "2", in: &context)
            try set(10, of: "0", in: &context)
        }
        let before = describe(store.context)
        let found = try conflicts { try store.undo(scope: "A") }
        #expect(found == ["Author 0: 'born' was changed again"])
        #expect(try conflicts { _ = try store.revert(2) } == found)
        #expect(difference(before, describe(store.context)) == nil && store.lastTransaction == 3)
        // Behind what stood against it, it is possible, and so is the way back.
        try store.undo(scope: "B")
        try store.undo(scope: "A")
        #expect(numbers(store) == [10, 0, 10])
        try store.redo(scope: "A")
        try store.redo(scope: "B")
        #expect(numbers(store) == [10, 5, 5])
        try store.undo(scope: "A", force: true)
        #expect(numbers(store) == [10, 0, 5])
    }

    @Test("A redo is refused where another step wrote the value that the undo left")
    func redo() throws {
        let store = try store()
        try write(store, "A") { try set(1, of: "0", in: &$0) }
        try write(store, "A") { try set(2, of: "0", in: &$0) }
        try store.undo(scope: "A")
        for number in [7, 1] { try write(store, "B") { try set(number, of: "0", in: &$0) } }
        #expect(
            try conflicts { try store.redo(scope: "A") } == ["Author 0: 'born' was changed again"])
        try store.undo(scope: "B")
        try store.undo(scope: "B")
        try store.redo(scope: "A")
        #expect(numbers(store) == [2])
    }

    @Test("An entity that was deleted and created again is not the one that was inserted")
    func equalEntities() throws {
        for isForGood in [false, true] {
            let store = try store()
            try write(store, "A") { try set(1, of: "0", in: &$0) }
            try write(store, "B") { context in
                try Author.delete(id: "0", from: &context)
                if isForGood { try Deleted<Author>.delete(id: "0", from: &context) }
            }
            try write(store, "B") { try set(1, of: "0", in: &$0) }
            let found = try conflicts { try store.undo(scope: "A") }
            #expect(found == ["Author 0 was created again"])
            #expect(numbers(store) == [1])
            // What the deletion took is not what is there either.
            #expect(try conflicts { _ = try store.revert(2) } == found)
            try store.undo(scope: "B")
            try store.undo(scope: "B")
            try store.undo(scope: "A")
            #expect(numbers(store) == [])
        }
    }

    @Test("A to-one relation that was led back is the other step's")
    func owners() throws {
        let store = try store()
        try store.write(options: WriteOptions(undoable: false)) { context in
            for id in ["a", "b", "c"] { try Author(id: id, name: id).save(to: &context) }
            try Book(id: 1, title: "t", author: .id("a")).save(to: &context)
        }
        func lead(_ scope: String, to author: String) throws {
            try write(store, scope) {
                try Book(id: 1, title: "t", author: .id(author)).save(to: &$0)
            }
        }
        try lead("A", to: "b")
        try lead("B", to: "c")
        try lead("B", to: "b")
        #expect(
            try conflicts { try store.undo(scope: "A") }.contains(
                "Book 1: 'author' leads elsewhere by now"))
        try store.undo(scope: "B")
        try store.undo(scope: "B")
        try store.undo(scope: "A")
        #expect(Book.query(1).related(\.$author).resolve(in: store.context)?.id == "a")
        store.context.checkInvariants()
    }

    @Test("A link or its place that another step changed and brought back is that step's")
    func links() throws {
        let store = try store()
        func shelve(_ scope: String, _ ids: [Int]) throws {
            try write(store, scope) {
                try Shelf(id: "s", label: nil, books: .ids(ids)).save(to: &$0)
            }
        }
        func shelved() -> [Int] {
            Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids ?? []
        }
        try store.write(options: WriteOptions(undoable: false)) { context in
            for id in 1...5 { try Book(id: id, title: "t").save(to: &context) }
            try Shelf(id: "s", label: nil, books: .ids([1, 2, 3])).save(to: &context)
        }
        // Put in by one, taken out and put in again by another.
        try shelve("A", [1, 2, 3, 4])
        try shelve("B", [1, 2, 3])
        try shelve("B", [1, 2, 3, 4])
        #expect(
            try conflicts { try store.undo(scope: "A") }
                .contains("Shelf s: the link 'books' to 4 was changed again"))
        try store.undo(scope: "B")
        try store.undo(scope: "B")
        // Elsewhere in the list others may write.
        try shelve("C", [2, 3, 4])
        try store.undo(scope: "A")
        #expect(shelved() == [2, 3])
        try store.undo(scope: "C")
        #expect(shelved() == [1, 2, 3])
        // Moved by one, and moved by another.
        try store.write(options: WriteOptions(undoable: false)) {
            try Shelf(id: "s", label: nil, books: .ids([1, 2, 3, 4, 5])).save(to: &$0)
        }
        try shelve("A", [2, 3, 4, 5, 1])
        try shelve("B", [2, 1, 3, 4, 5])
        #expect(!(try conflicts { try store.undo(scope: "A") }).isEmpty)
        #expect(shelved() == [2, 1, 3, 4, 5])
        try store.undo(scope: "B")
        try shelve("C", [2, 3, 4, 1])
        try store.undo(scope: "A")
        #expect(shelved() == [1, 2, 3, 4])
        store.context.checkInvariants()
    }

    @Test("Of two that change places, an undo may move the other")
    func swapped() throws {
        let store = try store()
        func shelve(_ scope: String, _ ids: [Int]) throws {
            try write(store, scope) {
                try Shelf(id: "s", label: nil, books: .ids(ids)).save(to: &$0)
            }
        }
        func shelved() -> [Int] {
            Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids ?? []
        }
        try shelve("first", [1, 2, 3])
        try shelve("A", [2, 3, 1])
        try shelve("B", [2, 1, 3])
        try store.undo(scope: "B")
        try store.undo(scope: "A")
        #expect(shelved() == [1, 2, 3])
        try store.redo(scope: "A")
        try store.redo(scope: "B")
        #expect(shelved() == [2, 1, 3])
        try store.undo(scope: "B")
        try store.undo(scope: "A")
        #expect(shelved() == [1, 2, 3])
        store.context.checkInvariants()
    }

    @Test("A deletion whose tombstone another step took away is not undone without force")
    func tombstones() throws {
        let store = try store()
        try store.write(options: WriteOptions(undoable: false)) { try set(1, of: "0", in: &$0) }
        try write(store, "A") { try Author.delete(id: "0", from: &$0) }
        try write(store, "B") { try Deleted<Author>.delete(id: "0", from: &$0) }
        #expect(try conflicts { try store.undo(scope: "A") } == ["Author 0 was deleted"])
        try store.undo(scope: "B")
        #expect(store.context.count(Deleted<Author>.self) == 1)
        try store.redo(scope: "B")
        try store.undo(scope: "A", force: true)
        #expect(numbers(store) == [1])
    }

    @Test("What one step inserts and another deletes goes and returns by the order of the steps")
    func deletedInsertion() throws {
        let store = try store()
        try write(store, "A") { try set(1, of: "0", in: &$0) }
        try write(store, "B") { try Author.delete(id: "0", from: &$0) }
        let before = describe(store.context)
        #expect(try conflicts { try store.undo(scope: "A") } == ["Author 0 was deleted"])
        #expect(difference(before, describe(store.context)) == nil)
        try store.undo(scope: "B")
        #expect(numbers(store) == [1])
        try store.undo(scope: "A")
        #expect(numbers(store) == [] && store.context.count(Deleted<Author>.self) == 0)
        try store.redo(scope: "A")
        try store.redo(scope: "B")
        #expect(numbers(store) == [] && store.context.count(Deleted<Author>.self) == 1)
    }

    @Test("An undo of a deletion brings back nothing whose insertion was undone since")
    func withdrawnInsertion() throws {
        let store = try store()
        try store.write(options: WriteOptions(undoable: false)) { context in
            try Author(id: "a", name: "a").save(to: &context)
            try Book(id: 1, title: "old", author: .id("a")).save(to: &context)
        }
        try write(store, "A") {
            try Book(id: 2, title: "new", author: .id("a"), shelves: .ids(["s"])).save(to: &$0)
        }
        try write(store, "B") { try Author.delete(id: "a", from: &$0) }
        #expect(!(try conflicts { try store.undo(scope: "A") }).isEmpty)
        try store.undo(scope: "A", force: true)
        try store.undo(scope: "B")
        #expect(Book.query().resolve(in: store.context).map(\.id) == [1])
        #expect(Author.query("a").id(\.$books).resolve(in: store.context)?.$books.ids == [1])
        store.context.checkInvariants()
        try store.redo(scope: "B")
        #expect(store.context.count(Book.self) == 0 && store.context.count(Author.self) == 0)
        try store.undo(scope: "B")
        #expect(Book.query().resolve(in: store.context).map(\.id) == [1])
    }

    @Test("An undo of a cut link brings back no link that was withdrawn since")
    func withdrawnLink() throws {
        let store = try store()
        try store.write(options: WriteOptions(undoable: false)) { context in
            for id in 1...3 { try Book(id: id, title: "t").save(to: &context) }
            try Shelf(id: "s", label: nil, books: .ids([1])).save(to: &context)
        }
        func shelve(_ scope: String, _ ids: [Int]) throws {
            try write(store, scope) {
                try Shelf(id: "s", label: nil, books: .ids(ids)).save(to: &$0)
            }
        }
        func shelved() -> [Int] {
            Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids ?? []
        }
        try shelve("A", [1, 2])
        try shelve("B", [3])
        #expect(
            try conflicts { try store.undo(scope: "A") }
                .contains("Shelf s: the link 'books' to 2 was changed again"))
        try store.undo(scope: "A", force: true)
        try store.undo(scope: "B")
        #expect(shelved() == [1])
        #expect(Book.query(2).id(\.$shelves).resolve(in: store.context)?.$shelves.ids == [])
        store.context.checkInvariants()
    }
}
