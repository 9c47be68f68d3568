import Foundation
import Testing
import Varve

@Suite("Drafts (SD-16 to SD-24)")
struct DraftTests {
    private func store() throws -> Store {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write("Begin") { context in
            try Author(
                id: "a", name: "Ann", born: 1950,
                books: .relation([
                    Book(id: 1, title: "One"), Book(id: 2, title: "Two"),
                    Book(id: 3, title: "Three"), Book(id: 4, title: "Four"),
                ])
            ).save(to: &context)
            try Author(id: "b", name: "Bob").save(to: &context)
        }
        return store
    }

    private func author(_ context: Context, _ id: String = "a") -> Author? { context.find(id) }

    private func rename(_ store: Store, _ name: String) throws {
        try store.write("Rename") { context in
            var author: Author = try #require(context.find("a"))
            author.name = name
            try author.save(to: &context)
        }
    }

    private func edit(_ draft: Draft, _ body: (inout Author) -> Void) throws {
        try draft.edit { context in
            var author: Author = try #require(context.find("a"))
            body(&author)
            try author.save(to: &context)
        }
    }

    private func books(_ context: Context) -> [Int] {
        Author.query("a").related(\.$books).resolve(in: context).map(\.id)
    }

    private func order(_ context: inout Context, _ ids: [Int]) throws {
        var author: Author = try #require(context.find("a"))
        author.$books = .ids(ids)
        try author.save(to: &context)
    }

    /// The kinds of the conflicts that a body throws.
    private func kinds(_ body: () throws -> Void) -> [DraftConflict.Kind] {
        do {
            try body()
            return []
        } catch DraftError.conflicts(let conflicts) {
            return conflicts.map(\.kind)
        } catch {
            Issue.record("\(error)")
            return []
        }
    }

    @Test(
        "A draft shows its edits, the store does not, and a commit is one step that is undone as a whole"
    )
    func commit() throws {
        let store = try store()
        let draft = store.draft("Edit Ann", options: WriteOptions(author: "me"))
        #expect(!draft.hasChanges && draft.label == "Edit Ann")
        try edit(draft) { $0.name = "Anna" }
        try draft.edit { context in
            try Book(id: 9, title: "Nine", author: .id("a")).save(to: &context)
            try Book.delete(id: 1, from: &context)
        }
        #expect(draft.hasChanges && author(draft.context)?.name == "Anna")
        #expect(author(store.context)?.name == "Ann" && books(store.context) == [1, 2, 3, 4])
        let changes = try draft.changes
        #expect(try changes.changes(of: Author.self).map(\.changedProperties) == [["name"]])
        #expect(try changes.changes(of: Book.self).map(\.kind) == [.inserted, .deleted])
        #expect(try draft.commit() == 2)
        #expect(!draft.hasChanges && store.undoLabel == "Edit Ann")
        #expect(try store.transaction(2).author == "me")
        #expect(author(store.context)?.name == "Anna" && books(store.context) == [2, 3, 4, 9])
        #expect(Deleted<Book>.query(1).resolve(in: store.context)?.entity.title == "One")
        try draft.commit()
        #expect(store.lastTransaction == 2, "what is committed is not committed again")
        try store.undo()
        #expect(author(store.context)?.name == "Ann" && books(store.context) == [1, 2, 3, 4])
    }

    @Test("An edit that throws does nothing, and a reverted draft is what it began with")
    func revert() throws {
        struct Stop: Error {}
        let draft = try store().draft()
        #expect(throws: Stop.self) {
            try draft.edit { context in
                try Author.delete(id: "a", from: &context)
                throw Stop()
            }
        }
        #expect(!draft.hasChanges)
        try edit(draft) { $0.name = "Anna" }
        try edit(draft) { $0.name = "Ann" }
        #expect(!draft.hasChanges, "a value that returned is no change")
        try draft.edit { context in try Author.delete(id: "a", from: &context) }
        #expect(try draft.changes.changes.count == 5)
        try draft.revert()
        #expect(!draft.hasChanges && books(draft.context) == [1, 2, 3, 4])
    }

    @Test("A draft cannot be used inside its own edit, nor have its context replaced")
    func misuse() throws {
        let store = try store()
        let draft = store.draft()
        #expect(throws: DraftError.nestedEdit) {
            try draft.edit { _ in try draft.edit { _ in } }
        }
        #expect(throws: DraftError.nestedEdit) { try draft.edit { _ in try draft.commit() } }
        #expect(throws: StoreError.self) { try draft.edit { $0 = Context() } }
        #expect(!draft.hasChanges)
    }

    @Test("What others changed beside the draft stays, property by property and link by link")
    func merging() throws {
        let store = try store()
        let draft = store.draft()
        try edit(draft) { $0.name = "Anna" }
        try draft.edit { context in
            try Book(id: 9, title: "Nine", author: .id("a")).save(to: &context)
        }
        try store.write { context in
            var author: Author = try #require(context.find("a"))
            author.born = 1960
            try author.save(to: &context)
            try Book.delete(id: 2, from: &context)
            try Book(id: 8, title: "Eight", author: .id("a")).save(to: &context)
        }
        #expect(try draft.conflicts().isEmpty)
        try draft.rebase()
        #expect(author(draft.context)?.born == 1960 && author(draft.context)?.name == "Anna")
        #expect(books(draft.context) == [1, 3, 4, 8, 9] && draft.hasChanges)
        try draft.commit()
        #expect(author(store.context)?.born == 1960 && author(store.context)?.name == "Anna")
        #expect(books(store.context) == [1, 3, 4, 8, 9])
        try store.undo()
        #expect(author(store.context)?.name == "Ann" && books(store.context) == [1, 3, 4, 8])
    }

    @Test(
        "A property that both changed is a conflict with its three values, and a choice resolves it"
    )
    func property() throws {
        let store = try store()
        for choice in [DraftChoice.keepMine, .takeTheirs] {
            let draft = store.draft()
            try edit(draft) {
                $0.name = "mine \(choice)"; $0.born = 1
            }
            let base = author(store.context)?.name
            try rename(store, "theirs \(choice)")
            let newest = store.lastTransaction
            #expect(kinds { try draft.commit() } == [.property("name")])
            #expect(
                store.lastTransaction == newest && author(draft.context)?.name == "mine \(choice)")
            let conflict = try #require(try draft.conflicts().first)
            #expect(conflict.type == "Author" && conflict.id == "a")
            #expect(try conflict.base.value(as: String.self) == base)
            #expect(conflict.mine.json == "\"mine \(choice)\"")
            #expect(try conflict.theirs.value(as: String.self) == "theirs \(choice)")
            #expect(kinds { try draft.rebase() } == [.property("name")])
            try draft.rebase(choice)
            try draft.commit()
            let expected = choice == .keepMine ? "mine \(choice)" : "theirs \(choice)"
            #expect(author(store.context)?.name == expected && author(store.context)?.born == 1)
        }
    }

    @Test(
        "A value that both set is no conflict; one that others wrote again is, unless they undid it"
    )
    func lastWriter() throws {
        let store = try store()
        var draft = store.draft()
        try edit(draft) { $0.name = "same" }
        try rename(store, "same")
        #expect(try draft.conflicts().isEmpty && draft.commit() == nil)
        draft = store.draft()
        try edit(draft) { $0.name = "mine" }
        try rename(store, "theirs")
        try rename(store, "same")
        #expect(kinds { try draft.commit() } == [.property("name")])
        draft = store.draft()
        try edit(draft) { $0.name = "mine" }
        try rename(store, "theirs")
        try store.undo()
        #expect(try draft.conflicts().isEmpty)
        try draft.commit()
        #expect(author(store.context)?.name == "mine")
    }

    @Test(
        "Two stale saves of a whole list are a conflict of its order, on one side of the relation")
    func swaps() throws {
        let store = try store()
        let draft = store.draft()
        try draft.edit { try order(&$0, [2, 1, 3, 4]) }
        try store.write { try order(&$0, [1, 2, 4, 3]) }
        #expect(kinds { try draft.commit() } == [.order(relation: "books")])
        #expect(try draft.conflicts().first?.mine.ids == ["2", "1", "3", "4"])
        try draft.rebase(.keepMine)
        try draft.commit()
        #expect(books(store.context) == [2, 1, 3, 4])
        try draft.rebase()
        try draft.edit { try order(&$0, [4, 3, 2, 1]) }
        try store.write { try Book(id: 8, title: "Eight", author: .id("a")).save(to: &$0) }
        try draft.commit()
        #expect(books(store.context) == [4, 3, 2, 1, 8], "what was added meanwhile stays behind")
    }

    @Test(
        "An entity that both sides led elsewhere is one conflict, although both sides of the relation changed"
    )
    func owner() throws {
        let store = try store()
        try store.write { try Author(id: "c", name: "Cid").save(to: &$0) }
        let draft = store.draft()
        func lead(_ context: inout Context, _ author: String) throws {
            var book: Book = try #require(context.find(1))
            book.$author = .id(author)
            try book.save(to: &context)
        }
        try draft.edit { try lead(&$0, "b") }
        try store.write { try lead(&$0, "c") }
        let conflict = try #require(try draft.conflicts().first)
        #expect(try draft.conflicts().count == 1 && conflict.kind == .relation("author"))
        #expect(
            conflict.base.ids == ["a"] && conflict.mine.ids == ["b"] && conflict.theirs.ids == ["c"]
        )
        try draft.rebase(.keepMine)
        try draft.commit()
        let context = store.context
        #expect(Author.query("b").related(\.$books).resolve(in: context).map(\.id) == [1])
        #expect(Author.query("c").related(\.$books).resolve(in: context).isEmpty)
    }

    @Test("A deletion against an edit is a conflict either way")
    func deletions() throws {
        let store = try store()
        var draft = store.draft()
        try draft.edit { _ = try Author.delete(id: "a", from: &$0) }
        try rename(store, "Anna")
        #expect(kinds { try draft.commit() } == [.deletedInDraft])
        #expect(try draft.conflicts().first?.theirs.changed == ["name"])
        try draft.rebase(.keepMine)
        try draft.commit()
        #expect(author(store.context) == nil && store.context.count(Book.self) == 0)
        try store.restoreDeletion(of: Author.self, id: "a")
        #expect(author(store.context)?.name == "Anna" && books(store.context) == [1, 2, 3, 4])
        draft = store.draft()
        try edit(draft) { $0.born = 7 }
        try store.write { _ = try Author.delete(id: "a", from: &$0) }
        #expect(kinds { try draft.commit() } == [.deletedByOthers])
        try draft.rebase(.takeTheirs)
        #expect(!draft.hasChanges && author(draft.context) == nil)
        try store.undo()
        draft = store.draft()
        try edit(draft) { $0.born = 7 }
        try store.write { _ = try Author.delete(id: "a", from: &$0) }
        try draft.rebase { _ in .keepMine }
        try draft.commit()
        #expect(author(store.context)?.born == 7 && store.context.count(Book.self) == 0)
    }

    @Test("A delete rule takes along what others added meanwhile, once the deletion is kept")
    func cascade() throws {
        let store = try store()
        let draft = store.draft()
        try draft.edit { _ = try Author.delete(id: "a", from: &$0) }
        try store.write { try Book(id: 8, title: "Eight", author: .id("a")).save(to: &$0) }
        #expect(kinds { try draft.commit() } == [.deletedInDraft])
        try draft.rebase(.keepMine)
        try draft.commit()
        #expect(store.context.count(Book.self) == 0)
        try store.undo()
        #expect(books(store.context) == [1, 2, 3, 4, 8])
    }

    @Test("A deletion that is withdrawn leaves what it took along, too")
    func withdrawnDeletion() throws {
        let store = try store()
        let draft = store.draft()
        try draft.edit { _ = try Author.delete(id: "a", from: &$0) }
        try store.write { context in
            try Book(id: 8, title: "Eight", author: .id("a")).save(to: &context)
        }
        try draft.rebase(.takeTheirs)
        try draft.commit()
        #expect(books(store.context) == [1, 2, 3, 4, 8] && !draft.hasChanges)
    }

    @Test("Tombstones of entities that go together keep their links, as those of a plain deletion")
    func linksOfTombstones() throws {
        var links: [[String]] = []
        for isDraft in [false, true] {
            let store = try store()
            let delete = { (context: inout Context) in
                _ = try Author.delete(id: "a", from: &context)
            }
            if isDraft {
                let draft = store.draft()
                try draft.edit { try delete(&$0) }
                try draft.commit()
            } else {
                try store.write { try delete(&$0) }
            }
            links.append(
                Deleted<Author>.query().resolve(in: store.context).map {
                    "\($0.entity.$books.heldIDs)"
                }
                    + Deleted<Book>.query().resolve(in: store.context).map {
                        "\($0.entity.$author.heldIDs)"
                    })
        }
        let kept = ["[1, 2, 3, 4]"] + Array(repeating: #"["a"]"#, count: 4)
        #expect(links == [kept, kept])
    }

    @Test("A draft cannot be used in the body of a write")
    func insideOfWrite() throws {
        let store = try store()
        let draft = store.draft()
        try edit(draft) { $0.name = "Anna" }
        try store.write { _ in
            for use in [{ _ = try draft.commit() }, { try draft.revert() }] {
                let error = #expect(throws: StoreError.self) { try use() }
                guard case .nestedWrite? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
        try draft.commit()
        #expect(author(store.context)?.name == "Anna")
    }

    @Test("An id that both sides inserted is a conflict unless the values are equal")
    func twins() throws {
        let store = try store()
        let draft = store.draft()
        try draft.edit { context in
            try Shelf(id: "s", label: "mine").save(to: &context)
            try Shelf(id: "t", label: "same").save(to: &context)
        }
        try store.write { context in
            try Shelf(id: "s", label: "theirs").save(to: &context)
            try Shelf(id: "t", label: "same").save(to: &context)
        }
        #expect(kinds { try draft.commit() } == [.insertedTwice])
        try draft.rebase(.keepMine)
        try draft.commit()
        #expect(Shelf.query().resolve(in: store.context).map(\.label) == ["mine", "same"])
    }

    @Test("A link to what others deleted is a conflict")
    func targets() throws {
        let store = try store()
        try store.write { try Shelf(id: "s").save(to: &$0) }
        let draft = store.draft()
        try draft.edit { context in
            var book: Book = try #require(context.find(1))
            book.$shelves = .ids(["s"])
            try book.save(to: &context)
        }
        try store.write { _ = try Shelf.delete(id: "s", from: &$0) }
        #expect(kinds { try draft.commit() } == [.targetDeleted(relation: "shelves", target: "s")])
        try draft.rebase(.takeTheirs)
        #expect(!draft.hasChanges)
    }

    @Test("A child draft is committed into its parent, and the store hears of it with the parent")
    func children() throws {
        let store = try store()
        let parent = store.draft("Parent")
        try edit(parent) { $0.name = "Anna" }
        let child = parent.draft("Child")
        #expect(author(child.context)?.name == "Anna" && !child.hasChanges)
        try edit(child) { $0.born = 1 }
        #expect(author(parent.context)?.born == 1950)
        try edit(parent) { $0.born = 2 }
        #expect(kinds { try child.commit() } == [.property("born")])
        try child.rebase(.keepMine)
        #expect(try child.commit() == nil && author(parent.context)?.born == 1)
        #expect(author(store.context)?.name == "Ann")
        try parent.commit()
        #expect(author(store.context)?.name == "Anna" && author(store.context)?.born == 1)
        #expect(store.undoSteps().map(\.label) == ["Parent", "Begin"])
    }

    @Test(
        "A draft of an older moment, held while the store compacts, is committed onto the newest state"
    )
    func olderMoment() throws {
        let store = try store()
        try rename(store, "Anna")
        let draft = try store.draft("Old", asOf: .transaction(1))
        #expect(author(draft.context)?.name == "Ann")
        try edit(draft) { $0.born = 3 }
        try store.compact(retaining: Retention.newestState)
        try draft.commit()
        #expect(author(store.context)?.name == "Anna" && author(store.context)?.born == 3)
    }

    @Test("A store that is closed keeps its drafts readable, and refuses their commits")
    func closed() throws {
        let store = try store()
        let draft = store.draft()
        try edit(draft) { $0.name = "Anna" }
        try store.close()
        #expect(throws: StoreError.self) { try draft.commit() }
        #expect(author(draft.context)?.name == "Anna" && draft.hasChanges)
    }

    @Test("A draft of a store that is only read takes in what another wrote, and is not committed")
    func readOnly() throws {
        let place = StoreTests.Place()
        let types: [any EntityModelProtocol.Type] = [Author.self, Shelf.self]
        let writer = try Store(at: place.url, types: types)
        try writer.write { try Author(id: "a", name: "Ann", born: 1950).save(to: &$0) }
        try writer.flush()
        let reader = try Store(at: place.url, mode: .readOnly, types: types)
        let draft = reader.draft()
        try edit(draft) { $0.name = "Anna" }
        try writer.write { context in
            var author: Author = try #require(context.find("a"))
            author.born = 1951
            try author.save(to: &context)
        }
        try writer.flush()
        try reader.refresh()
        try draft.rebase()
        #expect(author(draft.context)?.name == "Anna" && author(draft.context)?.born == 1951)
        let error = #expect(throws: StoreError.self) { try draft.commit() }
        guard case .readOnly? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(author(reader.context)?.name == "Ann" && draft.hasChanges)
    }

    @Test("Drafts of threads that edit different entities are all committed")
    func threads() throws {
        let store = try store()
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                for round in 0..<20 {
                    let draft = store.draft()
                    try draft.edit { context in
                        try Shelf(id: "\(thread)", label: "\(round)").save(to: &context)
                    }
                    try draft.commit()
                }
            } catch {
                failures.add("\(error)")
            }
        }
        #expect(failures.all.isEmpty)
        let shelves = Shelf.query().resolve(in: store.context)
        #expect(shelves.count == 8 && shelves.allSatisfy { $0.label == "19" })
    }

    @Test("One draft takes the edits of many threads, one after the other")
    func sharedDraft() throws {
        let store = try store()
        let draft = store.draft()
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            _ = try? draft.edit { try Shelf(id: "\(number)").save(to: &$0) }
        }
        #expect(Shelf.query().resolve(in: draft.context).count == 100)
        try draft.commit()
        #expect(store.context.count(Shelf.self) == 100)
    }

    // Unchecked: the texts are behind the lock.
    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var texts: [String] = []
        func add(_ text: String) { lock.withLock { texts.append(text) } }
        var all: [String] { lock.withLock { texts } }
    }
}
