import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Undo and redo")
struct UndoTests {
    private func store() throws -> Store { try Store.inMemory(Author.self, Shelf.self) }

    private func name(_ store: Store, _ id: String = "a") -> String? {
        Author.query(id).resolve(in: store.context)?.name
    }

    private func rename(
        _ store: Store, _ name: String, _ options: WriteOptions = WriteOptions()
    ) throws {
        try store.write("Rename to \(name)", options: options) { context in
            try Author(id: "a", name: name).save(to: &context)
        }
    }

    @Test("A step is undone and redone, with its label")
    func undoAndRedo() throws {
        let store = try store()
        #expect(!store.canUndo && !store.canRedo && store.undoLabel == nil)
        try rename(store, "one")
        try rename(store, "two")
        #expect(store.undoLabel == "Rename to two" && store.canUndo && !store.canRedo)
        let step = try store.undo()
        #expect(step.label == "Rename to two" && step.transactions == [2])
        #expect(name(store) == "one" && store.redoLabel == "Rename to two")
        try store.undo()
        #expect(name(store) == nil && !store.canUndo && store.lastTransaction == 4)
        // Redone, a step stands for the transaction that brought it back.
        #expect(try store.redo().transactions == [4])
        #expect(name(store) == "one")
        #expect(store.undoSteps().map(\.transactions) == [[5]])
        try store.redo()
        #expect(name(store) == "two" && !store.canRedo)
        try store.undo()
        #expect(name(store) == "one")
        try rename(store, "three")
        #expect(!store.canRedo, "a write clears what could be redone")
    }

    @Test("Without a step undo and redo say so")
    func nothing() throws {
        let store = try store()
        try rename(store, "one", WriteOptions(undoable: false))
        #expect(throws: StoreError.self) { try store.undo() }
        do {
            try store.redo(scope: "window")
            Issue.record("nothing can be redone")
        } catch StoreError.nothingToRedo(let scope) {
            #expect(scope == "window")
        }
        #expect(store.lastTransaction == 1)
    }

    @Test("What says something to the store itself is no metadata of a write")
    func reservedMetadata() throws {
        let store = try store()
        try rename(store, "one")
        for key in ["varve.forget", "varve.savepoint", "varve.step", "varve.later"] {
            do {
                try rename(store, "two", WriteOptions(metadata: [key: "x"]))
                Issue.record("\(key) was taken")
            } catch StoreError.reservedMetadata(let found) {
                #expect(found == key)
            }
        }
        #expect(store.lastTransaction == 1 && store.canUndo && store.savepoints.isEmpty)
        try rename(store, "two", WriteOptions(metadata: ["varveish": "x"]))
        #expect(try store.transaction(2).metadata == ["varveish": "x"])
    }

    @Test("Each scope has its own stacks, and what others did stays")
    func scopes() throws {
        let store = try store()
        let left = WriteOptions(scope: "left")
        let right = WriteOptions(scope: "right")
        try store.write("l1", options: left) { try Author(id: "l", name: "1").save(to: &$0) }
        try store.write("r1", options: right) { try Author(id: "r", name: "1").save(to: &$0) }
        try store.write("l2", options: left) { try Author(id: "l", name: "2").save(to: &$0) }
        #expect(store.undoLabel(scope: "left") == "l2" && store.undoLabel(scope: "right") == "r1")
        #expect(store.undoScopes == ["left", "right"] && !store.canUndo)
        try store.undo(scope: "right")
        #expect(name(store, "r") == nil && name(store, "l") == "2")
        try store.write("l3", options: left) { try Author(id: "l", name: "3").save(to: &$0) }
        #expect(store.canRedo(scope: "right"), "another scope's write clears nothing here")
        try store.redo(scope: "right")
        #expect(name(store, "r") == "1")
    }

    @Test("A group, and fast edits of one key, are one step")
    func groups() throws {
        let disk = MemoryFileSystem()
        let environment = SimulatedEnvironment(seed: 1)
        var store = try Store(
            in: disk, environment: environment, mode: .readWrite, durability: .none,
            types: [Author.self])
        try rename(store, "zero")
        try store.group("Drag") {
            for number in 0..<5 { try rename(store, "drag \(number)") }
        }
        #expect(store.undoLabel == "Drag" && store.undoSteps().count == 2)
        #expect(store.undoSteps()[0].transactions == [2, 3, 4, 5, 6])
        try store.close()
        store = try Store(
            in: disk, environment: environment, mode: .readWrite, durability: .none,
            types: [Author.self])
        try store.undo()
        #expect(name(store) == "zero")
        try store.redo()
        #expect(name(store) == "drag 4" && store.undoLabel == "Drag")
        let typing = WriteOptions(coalescing: Coalescing("title", within: .seconds(3_600)))
        for text in ["h", "he", "hel"] { try rename(store, text, typing) }
        #expect(store.undoSteps().count == 3)
        try rename(store, "other", WriteOptions(coalescing: Coalescing("other")))
        try rename(store, "h2", typing)
        #expect(store.undoSteps().count == 5)
        try store.undo()
        try store.undo()
        #expect(name(store) == "hel")
        // What was on top when something was undone takes no more.
        try rename(store, "hell", typing)
        #expect(store.undoSteps().count == 4)
        try store.undo()
        try store.undo()
        #expect(name(store) == "drag 4")
    }

    @Test("What came since is reported, nothing is done, and force does it")
    func conflicts() throws {
        let store = try store()
        try rename(store, "one", WriteOptions(scope: "a"))
        try rename(store, "two", WriteOptions(scope: "a"))
        try rename(store, "three", WriteOptions(scope: "b"))
        let before = describe(store.context)
        do {
            try store.undo(scope: "a")
            Issue.record("the name was changed again")
        } catch StoreError.conflicts(let conflicts) {
            #expect(
                conflicts.map(\.description) == ["Author a: 'name' was changed again"])
        }
        #expect(describe(store.context) == before && store.lastTransaction == 3)
        try store.undo(scope: "a", force: true)
        #expect(name(store) == "one")
    }

    @Test("A link that a step cut, and that was made and undone since, does not stand against it")
    func linksFromBefore() throws {
        let store = try store()
        // The shelf waits for a book that is to come.
        let waiting = Shelf(id: "s", label: nil, books: .ids([1]))
        try store.write { try waiting.save(to: &$0) }
        let before = content(store.context)
        try store.write { try Book(id: 1, title: "t", shelves: .ids(["other"])).save(to: &$0) }
        try store.write { try waiting.save(to: &$0) }
        try store.undo()
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
        store.context.checkInvariants()
    }

    @Test("An undo of going for good and coming again leaves what the log says it left")
    func replacedInOneStep() throws {
        let disk = MemoryFileSystem()
        func open() throws -> Store {
            try Store(in: disk, mode: .readWrite, durability: .none, types: [Author.self])
        }
        var store = try open()
        for id in ["a", "b"] { try store.write { try Author(id: id, name: id).save(to: &$0) } }
        try store.group("Replace") {
            try store.write { context in
                try Author.delete(id: "a", from: &context)
                try Deleted<Author>.delete(id: "a", from: &context)
            }
            try store.write { try Author(id: "a", name: "new").save(to: &$0) }
        }
        try store.undo()
        #expect(name(store) == "a")
        store.context.checkInvariants()
        let live = describe(store.context)
        try store.close()
        store = try open()
        #expect(difference(live, describe(store.context)) == nil)
    }

    @Test("A deletion with its cascade comes back as one step, links and places included")
    func cascade() throws {
        let store = try store()
        try store.write { context in
            for id in ["a", "b", "c"] {
                try Author(
                    id: id, name: id,
                    books: .relation((0..<3).map { Book(id: id.hashValue &+ $0, title: "\($0)") })
                ).save(to: &context)
            }
            try Shelf(
                id: "s", label: nil,
                books: .ids(Book.query().resolve(in: context).map(\.id).reversed())
            ).save(to: &context)
        }
        let before = content(store.context)
        try store.write("Delete") { try Author.delete(id: "b", from: &$0) }
        let after = content(store.context)
        #expect(store.context.count(Book.self) == 6)
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
        store.context.checkInvariants()
        try store.redo()
        #expect(difference(after, content(store.context)) == nil)
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
    }
}
