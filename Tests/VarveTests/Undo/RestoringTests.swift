import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Restoring, reverting and forgetting")
struct RestoringTests {
    private func store() throws -> Store {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write("Fill") { context in
            for author in ["a", "b"] {
                let books = (0..<4).map { number in
                    Book(id: number + (author == "a" ? 0 : 10), title: "\(author)\(number)")
                }
                try Author(id: author, name: author, books: .relation(books)).save(to: &context)
            }
            try Shelf(id: "s", label: nil, books: .ids([13, 2, 1, 11, 3])).save(to: &context)
        }
        return store
    }

    private func shelf(_ store: Store) -> [Int] {
        Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids ?? []
    }

    private func books(_ store: Store, of author: String) -> [Int] {
        Author.query(author).id(\.$books).resolve(in: store.context)?.$books.ids ?? []
    }

    @Test("One entity returns to its places in all lists, in whichever order entities return")
    func restoreOne() throws {
        for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1], [2, 1, 3]] {
            let store = try store()
            let before = content(store.context)
            try store.write("Delete") { context in
                for id in [1, 2, 3] { try Book.delete(id: id, from: &context) }
            }
            #expect(shelf(store) == [13, 11] && books(store, of: "a") == [0])
            #expect(try store.restore(Book.self, id: order[0])?.transaction == 3)
            try store.restore(Book.self, id: order[1])
            try store.restore(Book.self, id: order[2])
            #expect(difference(before, content(store.context)) == nil, "\(order)")
            store.context.checkInvariants()
            #expect(try store.restore(Book.self, id: 1) == nil, "it is not deleted")
            try store.undo()
            try store.undo()
            try store.undo()
            #expect(shelf(store) == [13, 11])
            try store.undo()
            #expect(difference(before, content(store.context)) == nil, "\(order)")
        }
    }

    @Test("A deletion returns as a whole, and what was deleted before stays deleted")
    func restoreDeletion() throws {
        let store = try store()
        try store.write("Earlier") { try Book.delete(id: 2, from: &$0) }
        let before = content(store.context)
        try store.write("Delete") { context in
            try Author.delete(id: "a", from: &context)
            try Book.delete(id: 13, from: &context)
        }
        try store.write("Later") { try Author(id: "c", name: "c").save(to: &$0) }
        #expect(store.context.count(Book.self) == 3)
        try store.restoreDeletion(of: Author.self, id: "a")
        #expect(books(store, of: "a") == [0, 1, 3] && shelf(store) == [1, 11, 3])
        #expect(Book.query(2).resolve(in: store.context) == nil)
        #expect(Book.query(13).resolve(in: store.context) == nil, "it went by a call of its own")
        try store.restore(Book.self, id: 13)
        try store.write { try Author.delete(id: "c", from: &$0) }
        try store.write { try Deleted<Author>.delete(id: "c", from: &$0) }
        #expect(difference(before, content(store.context)) == nil)
        store.context.checkInvariants()
        // Undone and redone, it is still one deletion.
        let other = try self.store()
        try other.write { try Author.delete(id: "a", from: &$0) }
        try other.undo()
        try other.redo()
        try other.restoreDeletion(of: Author.self, id: "a")
        #expect(books(other, of: "a") == [0, 1, 2, 3])
    }

    @Test("A deletion that was undone and redone takes along what its delete rules took, no more")
    func redoneDeletion() throws {
        // Several deletions in one transaction.
        var store = try store()
        try store.write { context in
            try Book.delete(id: 10, from: &context)
            try Book.delete(id: 11, from: &context)
        }
        try store.undo()
        try store.redo()
        try store.restoreDeletion(of: Book.self, id: 10)
        #expect(books(store, of: "b") == [10, 12, 13], "the other went by a call of its own")
        // A deletion in an older transaction of the step, with another window's write in between.
        store = try self.store()
        try store.group("Tidy up") {
            try store.write { try Author.delete(id: "a", from: &$0) }
            try store.write(options: WriteOptions(scope: "window")) {
                try Author(id: "c", name: "c").save(to: &$0)
            }
            try store.write { try Book.delete(id: 12, from: &$0) }
        }
        try store.undo()
        try store.redo()
        #expect(store.context.count(Deleted<Book>.self) == 5)
        try store.restoreDeletion(of: Author.self, id: "a")
        #expect(books(store, of: "a") == [0, 1, 2, 3])
        #expect(Book.query(12).resolve(in: store.context) == nil)
    }

    @Test("A tombstone that arrived from elsewhere is restored from what it holds")
    func arrivedTombstone() throws {
        let store = try store()
        try store.write { context in
            try Deleted(Book(id: 50, title: "new", author: .id("a"), shelves: .ids(["s", "t"])))
                .save(to: &context)
        }
        let before = content(store.context)
        #expect(try store.restore(Book.self, id: 50)?.transaction == 3)
        #expect(Book.query(50).resolve(in: store.context)?.title == "new")
        #expect(books(store, of: "a") == [0, 1, 2, 3, 50] && shelf(store).last == 50)
        store.context.checkInvariants()
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
        // A tombstone that an undo brought back where something else had been saved since.
        try store.write { try Book(id: 50, title: "other", author: .id("b")).save(to: &$0) }
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
        try store.restoreDeletion(of: Book.self, id: 50)
        #expect(Book.query(50).resolve(in: store.context)?.title == "new")
        #expect(books(store, of: "a") == [0, 1, 2, 3, 50])
        #expect(books(store, of: "b") == [10, 11, 12, 13])
        store.context.checkInvariants()
    }

    @Test("Links to what is not there are left out")
    func missingTargets() throws {
        let store = try store()
        try store.write { try Book.delete(id: 11, from: &$0) }
        try store.write { try Shelf.delete(id: "s", from: &$0) }
        try store.write { try Author.delete(id: "b", from: &$0) }
        try store.restore(Shelf.self, id: "s")
        #expect(shelf(store) == [2, 1, 3])
        store.context.checkInvariants()
    }

    @Test("Tombstones are purged by their age")
    func purge() throws {
        let store = try store()
        try store.write { try Author.delete(id: "a", from: &$0) }
        let then = Date()
        try store.write { try Author.delete(id: "b", from: &$0) }
        #expect(store.context.count(Deleted<Book>.self) == 8)
        #expect(try store.purgeDeleted(before: then, Book.self) == 4)
        #expect(store.context.count(Deleted<Author>.self) == 2)
        #expect(try store.purgeDeleted(before: Date().addingTimeInterval(9)) == 6)
        #expect(store.context.count(Deleted<Book>.self) == 0)
        let past = try store.context(asOf: .transaction(3))
        #expect(past.count(Deleted<Book>.self) == 8)
    }

    @Test("One old transaction is reverted, and the revert can be undone")
    func revert() throws {
        let store = try store()
        try store.write("Import") { context in
            for id in 50..<60 { try Book(id: id, title: "x").save(to: &context) }
        }
        try store.write("Keep") { try Book(id: 99, title: "kept").save(to: &$0) }
        try store.write("Change") { try Book(id: 55, title: "changed").save(to: &$0) }
        #expect(throws: StoreError.self) { try store.revert(2) }
        #expect(store.context.count(Book.self) == 19)
        #expect(try store.revert(2, UndoOptions(force: true)) == 5)
        #expect(store.context.count(Book.self) == 9 && store.undoLabel == "Revert “Import”")
        #expect(try store.transaction(5).kind == .revert(of: 2))
        #expect(try store.revert(2) == nil, "there is nothing left to revert")
        #expect(store.lastTransaction == 5)
        try store.undo()
        #expect(Book.query(55).resolve(in: store.context)?.title == "changed")
        do {
            try store.revert(77)
            Issue.record("there is no such transaction")
        } catch StoreError.unknownTransaction(let id, let newest) {
            #expect(id == 77 && newest == 6)
        }
    }

    @Test("A revert that leaves everything as it is names no transaction")
    func revertOfNothing() throws {
        let store = try store()
        try store.write { try Book(id: 0, title: "b").save(to: &$0) }
        try store.undo()
        #expect(try store.revert(2) == nil)
        #expect(try store.rewind(to: .transaction(1)) == nil)
        #expect(store.lastTransaction == 3)
    }

    @Test("A savepoint names a state, keeps its history, and is come back to")
    func savepoints() throws {
        let disk = SimulatedDisk()
        func open(_ seed: UInt64) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
                durability: .commit, retention: .newestState, compactsAutomatically: false,
                types: [Author.self, Shelf.self])
        }
        var store = try open(1)
        try store.write { try Author(id: "a", name: "one").save(to: &$0) }
        let before = describe(store.context)
        #expect(try store.setSavepoint("good").transaction == 2)
        try store.write { try Author(id: "a", name: "two").save(to: &$0) }
        try store.compact()
        try store.close()
        store = try open(2)
        try store.write { try Author(id: "b", name: "three").save(to: &$0) }
        try store.compact()
        #expect(store.floor <= 2 && store.savepoints.map(\.name) == ["good"])
        #expect(describe(try store.context(asOf: .savepoint("good"))) == before)
        try store.rewind(to: .savepoint("good"))
        #expect(content(store.context) == content(try store.context(asOf: .transaction(2))))
        try store.undo()
        #expect(store.context.count(Author.self) == 2)
        try store.removeSavepoint("good")
        #expect(throws: StoreError.self) { try store.context(asOf: .savepoint("good")) }
        try store.compact()
        try store.write { try Author(id: "c", name: "four").save(to: &$0) }
        try store.compact()
        #expect(store.floor > 2)
        do {
            _ = try store.context(asOf: .transaction(1))
            Issue.record("that is below the floor")
        } catch StoreError.belowFloor(let id, let floor) {
            #expect(id == 1 && floor == store.floor)
        }
    }

    @Test("What is forgotten is in no file after the next compaction")
    func forget() throws {
        let disk = SimulatedDisk()
        var store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 3), mode: .readWrite,
            durability: .commit, retention: .everything, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
        try store.write { try Author(id: "a", name: "Secretive Person").save(to: &$0) }
        try store.write { try Author(id: "b", name: "Anybody").save(to: &$0) }
        try store.compact()
        try store.write { try Author(id: "a", name: "Secretive Person II").save(to: &$0) }
        try store.setSavepoint("before")
        #expect(try store.forget(Author.self, id: "a") == 5)
        #expect(!store.canUndo && store.floor == 6 && store.savepoints.isEmpty)
        #expect(store.context.count(Deleted<Author>.self) == 0)
        #expect(throws: StoreError.self) { try store.context(asOf: .transaction(3)) }
        #expect(try store.history(of: Author.self, id: "a").isEmpty)
        try store.write { try Author(id: "b", name: "Somebody").save(to: &$0) }
        #expect(holds(disk, "Secretive"))
        try store.compact()
        #expect(!holds(disk, "Secretive") && holds(disk, "Somebody"))
        try store.close()
        store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 4), mode: .readWrite,
            durability: .commit, types: [Author.self, Shelf.self])
        #expect(store.floor >= 6)
        #expect(store.context.count(Author.self) == 1)
        #expect(try LogVerification.verify(disk).problems == [])
    }

    private func holds(_ disk: SimulatedDisk, _ text: String) -> Bool {
        // Short payloads are stored as they are.
        disk.image.files.values.contains { file in
            String(decoding: file, as: UTF8.self).contains(text)
        }
    }

    @Test("Below the floor one entity is restored from its tombstone, a whole deletion is refused")
    func belowFloor() throws {
        let store = try store()
        try store.write { try Author.delete(id: "a", from: &$0) }
        let deletion = store.lastTransaction
        try store.write { try Author(id: "c", name: "c").save(to: &$0) }
        try store.compact(retaining: Retention.newestState)
        #expect(store.floor > deletion)
        let before = content(store.context)
        do {
            try store.restoreDeletion(of: Author.self, id: "a")
            Issue.record("nobody knows what went along")
        } catch StoreError.belowFloor(let id, let floor) {
            #expect(id == deletion && floor == store.floor)
        }
        #expect(difference(before, content(store.context)) == nil)
        #expect(try store.restore(Author.self, id: "a") != nil)
        #expect(Author.query("a").resolve(in: store.context)?.name == "a")
        #expect(Book.query(1).resolve(in: store.context) == nil)
    }
}
