import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

/// A large store opens with empty tables, and fills each when it is first read. Nothing that the store returns says so.
@Suite("Stored tables")
struct WaitingTablesTests {
    private struct Stop: Error {}

    /// - Parameter isWaiting: whether tables wait although the store is small.
    private static func open(
        _ disk: any FileSystem, _ mode: Store.Mode = .readWrite, isWaiting: Bool = true,
        loading: Store.Loading = .whenRead
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: mode, durability: .commit,
            retention: .everything, compactsAutomatically: false, loading: loading,
            types: [Author.self, Shelf.self], waitingSlotsMin: isWaiting ? 0 : .max)
    }

    /// Authors, books, a shelf and tombstones; the newest transactions are behind the checkpoint.
    private static func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try CompactionTests.fill(store, 0..<30)
        try store.write { context in
            try Shelf(id: "s", label: "new", books: .ids([154, 155, 156])).save(to: &context)
        }
        try store.compact()
        try CompactionTests.fill(store, 30..<40)
        try store.close()
        return disk
    }

    private static func filled(_ context: Context) -> [String] {
        context.tables.tables.unfilled.filter(\.hasFilled).map(\.descriptor.name).sorted()
    }

    @Test("An opening fills no table, a look for one entity none, and a query those that it reads")
    func fillsWhatIsRead() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let context = store.context
        #expect(Self.filled(context) == [])
        let author: Author? = context.find("a3")
        #expect(author?.name == "after 38")
        let (book, none): (Book?, Book?) = (context.find(159), context.find(100_000))
        #expect(book?.text.hasPrefix("273 274") == true && none == nil)
        let all: [Book?] = context.findAll([159, 100_000, 154])
        let existing: [Book] = context.findAllExisting([100_000, 154, 159])
        #expect(all.map { $0?.id } == [159, nil, 154] && existing.map(\.id) == [154, 159])
        #expect(Self.filled(context) == [])
        #expect(Shelf.query().count(in: context) == 1)
        #expect(Self.filled(context) == [])
        #expect(Shelf.query().resolve(in: context).map(\.id) == ["s"])
        #expect(Self.filled(context) == ["Shelf"])
        // Each of them by itself.
        let books = Shelf.query().with(\.$books).resolve(in: context).first?.books
        #expect(books?.map(\.id) == [154, 155, 156])
        #expect(Self.filled(context) == ["Shelf"])
        #expect(Book.query().resolve(in: context).count == 100)
        #expect(Self.filled(context) == ["Book", "Shelf"])
        // A table is one for all who share it.
        #expect(Self.filled(store.context) == ["Book", "Shelf"])
    }

    @Test("What is deleted is not found, whether its table is filled or not")
    func deleted() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let context = store.context
        let before: Book? = context.find(8)
        #expect(before == nil && Self.filled(context) == [])
        let tombstones = Deleted<Book>.query().resolve(in: context).map(\.entity.id)
        #expect(tombstones.contains(8))
        #expect(Self.filled(context).count == 1)
        let after: Book? = context.find(8)
        #expect(after == nil)
    }

    @Test("An id is its bytes, whether its table is filled or not")
    func composedIDs() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        try store.write { try Author(id: "caf\u{E9}", name: "composed").save(to: &$0) }
        try store.close()
        let reopened = try Self.open(disk)
        let context = reopened.context
        let found: Author? = context.find("caf\u{E9}")
        #expect(found?.name == "composed" && Self.filled(context) == [])
        let other: Author? = context.find("cafe\u{301}")
        #expect(other == nil && Self.filled(context) == [])
        #expect(Author.query("cafe\u{301}").resolve(in: context) == nil)
        #expect(Self.filled(context) == [])
        #expect(Author.query().resolve(in: context).count == 1)
        let after: Author? = context.find("caf\u{E9}")
        #expect(after?.name == "composed" && Self.filled(context) == ["Author"])
    }

    @Test("All that a store shows is the same", arguments: [Store.Mode.readWrite, .readOnly])
    func sameContent(mode: Store.Mode) throws {
        let disk = try Self.makeDisk()
        let expected = describe(try Self.open(disk, .readOnly, isWaiting: false).context)
        let store = try Self.open(disk, mode)
        #expect(difference(describe(store.context), expected) == nil)
        store.context.checkInvariants()
        let ahead = try Self.open(disk, .readOnly, loading: .ahead)
        #expect(difference(describe(ahead.context), expected) == nil)
    }

    @Test(
        "A write and its undo fill no table, and neither does the undo of what was written before the opening"
    )
    func fillsNothing() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let before = store.lastTransaction
        try store.write { context in
            try Shelf(id: "t", label: "more", books: .ids([154])).save(to: &context)
            guard var author: Author = context.find("a3") else { return }
            author.name = "changed"
            try author.save(to: &context)
            try Book.delete(id: 154, from: &context)
        }
        // Those of tombstones are read by what they were deleted as.
        let filled = Self.filled(store.context)
        #expect(filled.allSatisfy { $0.hasPrefix("Deleted") }, "\(filled)")
        let (author, gone): (Author?, Book?) = (store.context.find("a3"), store.context.find(154))
        #expect(author?.name == "changed" && gone == nil)
        #expect(Shelf.query("t").with(\.$books).resolve(in: store.context)?.books?.count == 0)
        try store.undo()
        #expect(store.lastTransaction.rawValue == before.rawValue + 2)
        let undone: Author? = store.context.find("a3")
        #expect(undone?.name == "after 38" && Book.query(154).resolve(in: store.context) != nil)
        try store.undo()
        #expect(Self.filled(store.context).allSatisfy { $0.hasPrefix("Deleted") })
        store.context.checkInvariants()
        let content = describe(store.context)
        try store.close()
        let reopened = try Self.open(disk, isWaiting: false)
        #expect(difference(content, describe(reopened.context)) == nil)
    }

    @Test(
        "The first tombstone of a type, in a write that came to nothing, leaves no trace in other contexts"
    )
    func firstTombstone() throws {
        let disk = SimulatedDisk()
        let made = try Self.open(disk)
        try made.write { context in
            for id in ["s", "t", "u"] { try Shelf(id: id, label: id).save(to: &context) }
        }
        try made.close()
        let store = try Self.open(disk)
        let snapshot = store.context
        #expect(throws: Stop.self) {
            try store.write { context in
                try Shelf.delete(id: "s", from: &context)
                #expect(Shelf.query().count(in: context) == 2)
                throw Stop()
            }
        }
        #expect(Shelf.query().count(in: snapshot) == 3)
        var copy = snapshot
        try Profile(id: "p", text: "another type").save(to: &copy)
        try Shelf.delete(id: "t", from: &copy)
        try Shelf(id: "t", label: "again").save(to: &copy)
        try store.write { context in
            try Shelf.delete(id: "s", from: &context)
            try Shelf(id: "u", label: "more").save(to: &context)
        }
        #expect(Shelf.query().resolve(in: store.context).map(\.label) == ["t", "more"])
        #expect(Deleted<Shelf>.query().count(in: store.context) == 1)
        store.context.checkInvariants()
        copy.checkInvariants()
    }

    @Test("A write leaves snapshots as they were, whether a table is filled before it or behind it")
    func writes() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let snapshot = store.context
        try store.write { try Shelf(id: "t", label: "more").save(to: &$0) }
        #expect(Shelf.query().count(in: snapshot) == 1)
        #expect(Shelf.query().count(in: store.context) == 2)
        #expect(throws: Stop.self) {
            try store.write { context in
                try Profile(id: "p", text: "never").save(to: &context)
                try Author.delete(id: "a1", from: &context)
                throw Stop()
            }
        }
        #expect(Author.query("a1").resolve(in: store.context) != nil)
        try store.write { try Author.delete(id: "a1", from: &$0) }
        #expect(Author.query("a1").resolve(in: snapshot) != nil)
        #expect(Author.query("a1").resolve(in: store.context) == nil)
        store.context.checkInvariants()
        snapshot.checkInvariants()
        try store.undo()
        let expected = describe(store.context)
        try store.close()
        let reopened = try Self.open(disk, .readOnly, isWaiting: false)
        #expect(difference(describe(reopened.context), expected) == nil)
    }

    @Test("Ids that the store gives go on behind those of a table that nothing has read")
    func givenIDs() throws {
        let disk = SimulatedDisk()
        func open() throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
                durability: .commit, loading: .whenRead, types: [WaitingNote.self],
                waitingSlotsMin: 0)
        }
        let store = try open()
        for _ in 0..<3 { try store.write { _ = try $0.create(WaitingNote(text: "one")) } }
        try store.write { try WaitingNote.delete(id: 3, from: &$0) }
        let third = store.lastTransaction
        try store.close()
        let reopened = try open()
        // Of a state of the past, whose newest id is not the newest that was given.
        let past = try reopened.context(asOf: .transaction(TransactionID(third.rawValue - 3)))
        #expect(WaitingNote.query().count(in: past) == 1)
        let note = try reopened.write { try $0.create(WaitingNote(text: "next")) }
        #expect(note.id == 4)
    }

    @Test("A link that goes names an entity of a table that nothing has read")
    func detachedLinks() throws {
        let disk = SimulatedDisk()
        func open() throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
                durability: .commit, loading: .whenRead, types: [WaitingLink.self],
                waitingSlotsMin: 0)
        }
        let store = try open()
        try store.write { context in
            let note = try context.create(WaitingNote(text: "one"))
            try WaitingLink(id: 1, note: .id(note.id)).save(to: &context)
        }
        try store.close()
        let reopened = try open()
        try reopened.write { context in
            let link = try WaitingLink.require(1, in: context)
            try link.detach(\.$note, in: &context)
        }
        #expect(
            WaitingLink.query().id(\.$note).resolve(in: reopened.context).map(\.$note.heldIDs) == [
                []
            ])
        try reopened.undo()
        #expect(
            WaitingLink.query().id(\.$note).resolve(in: reopened.context).map(\.$note.heldIDs) == [
                [1]
            ])
    }

    @Test("A table of which much is read one by one is filled")
    func manyFinds() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let context = store.context
        for number in 0..<160 {
            let book: Book? = context.find(number)
            #expect(book == nil || book?.id == number)
        }
        #expect(Self.filled(context) == ["Book"])
    }

    @Test("A state of the past fills what is read of it")
    func past() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let eager = try Self.open(disk, .readOnly, isWaiting: false)
        let moment = HistoryPoint.transaction(35)
        let past = try store.context(asOf: moment)
        #expect(Self.filled(past) == [])
        let expected = try eager.context(asOf: moment)
        #expect(difference(describe(past), describe(expected)) == nil)
    }

    @Test("A draft of a store whose tables wait is committed as ever")
    func drafts() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        let draft = store.draft("Rename")
        try draft.edit { try Shelf(id: "s", label: "renamed").save(to: &$0) }
        #expect(!Self.filled(store.context).contains("Author"))
        try draft.commit()
        #expect(!Self.filled(store.context).contains("Author"))
        #expect(Shelf.query("s").resolve(in: store.context)?.label == "renamed")
        store.context.checkInvariants()
    }

    @Test("Many threads that read one table at once see one content")
    func threads() throws {
        let disk = try Self.makeDisk()
        let expected = describe(try Self.open(disk, .readOnly, isWaiting: false).context)
        for loading in [Store.Loading.whenRead, .ahead] {
            let store = try Self.open(disk, .readOnly, loading: loading)
            let context = store.context
            let differences = Lock<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let author: Author? = context.find("a3")
                let found = difference(describe(context), expected)
                differences.withLock { differences in
                    if let found { differences.append(found) }
                    if author?.name != "after 38" { differences.append("no author") }
                }
            }
            #expect(differences.withLock { $0 } == [])
        }
    }

    /// Writes a label and an author's name that go together, with links to new and old books, and undoes some.
    private static func writeInTurn(to store: Store) throws {
        for number in 0..<24 {
            try store.write { context in
                try Author(
                    id: "a\(number % 7)", name: "w\(number)", books: .ids([154, 900 + number])
                )
                .save(to: &context)
                try Shelf(id: "s", label: "w\(number)", books: .ids([155, 904])).save(
                    to: &context)
            }
            if number % 5 == 4 { try store.undo() }
        }
    }

    /// What does not go together in a context.
    private static func fault(in context: Context) -> String? {
        let shelf: Shelf? = context.find("s")
        guard let label = shelf?.label, let number = Int(label.dropFirst()), label.hasPrefix("w")
        else { return nil }
        let author = Author.query("a\(number % 7)").with(\.$books).resolve(in: context)
        let books = author?.books?.map(\.id) ?? []
        guard author?.name == label, books == [154] else {
            return "\(label), but \(author?.name ?? "none") with \(books)"
        }
        return nil
    }

    @Test("Readers beside a writer and a filling see states that are whole")
    func threadsBesideAWriter() throws {
        for round in 0..<6 {
            let disk = try Self.makeDisk()
            let store = try Self.open(disk, loading: round % 2 == 0 ? .whenRead : .ahead)
            let faults = Lock<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 5) { thread in
                switch thread {
                case 0:
                    do {
                        try Self.writeInTurn(to: store)
                    } catch { faults.withLock { $0.append("\(error)") } }
                case 1 where round > 1:
                    for table in store.context.tables.tables.unfilled { table.fillAhead() }
                default:
                    for turn in 0..<40 {
                        let context = store.context
                        if let fault = Self.fault(in: context) {
                            faults.withLock { $0.append(fault) }
                        }
                        if thread == 4, turn % 8 == 7 { _ = describe(context) }
                    }
                }
            }
            #expect(faults.withLock { $0 } == [])
            store.context.checkInvariants()
            let content = describe(store.context)
            try store.close()
            let reopened = try Self.open(disk, .readOnly, isWaiting: false)
            #expect(difference(content, describe(reopened.context)) == nil)
        }
    }

    @Test("A store that is suspended needs its files no more")
    func suspension() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        try store.suspend()
        let context = store.context
        #expect(Self.filled(context).count == context.tables.tables.unfilled.count)
        try store.resume()
    }

    @Test("A reader fills what it reads of each state that it refreshes to")
    func refreshing() throws {
        let disk = try Self.makeDisk()
        let writer = try Self.open(disk)
        let reader = try Self.open(disk, .readOnly)
        for round in 0..<3 {
            try CompactionTests.fill(writer, (40 + 5 * round)..<(45 + 5 * round))
            try writer.flush()
            try reader.refresh()
            #expect(Self.filled(reader.context) == [])
            if round != 1 {
                #expect(difference(describe(reader.context), describe(writer.context)) == nil)
            }
        }
    }

    @Test("A type with values that the app may refuse is filled by the opening")
    func refusedValues() throws {
        let disk = SimulatedDisk()
        func open(_ types: [any EntityModelProtocol.Type]) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
                durability: .commit, loading: .whenRead, types: types, waitingSlotsMin: 0)
        }
        let store = try open([WaitingMark.self, WaitingNote.self])
        try store.write { context in
            try WaitingMark(id: 1, grade: Grade(value: 7)).save(to: &context)
            _ = try context.create(WaitingNote(text: "one"))
        }
        try store.close()
        let reopened = try open([WaitingMark.self, WaitingNote.self])
        #expect(Self.filled(reopened.context) == ["WaitingMark"])
    }
}

@EntityModel
private struct WaitingNote {
    @AutoIncrement let id: Int
    var text: String
}

/// Leads one way, to another type.
@EntityModel
private struct WaitingLink {
    let id: Int
    @Relationship var note: WaitingNote? = nil
}

@EntityModel
private struct WaitingMark {
    let id: Int
    var grade: Grade
}

/// A type of the app: its code reads what is stored.
@Storable
private struct Grade: Equatable {
    var value: Int
}
