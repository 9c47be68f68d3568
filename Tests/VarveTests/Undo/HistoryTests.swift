import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("History")
struct HistoryTests {
    @Test("Every version of an entity, through deletions and restorations")
    func versions() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write("Add", options: WriteOptions(author: "ann")) {
            try Author(id: "a", name: "one", born: 1).save(to: &$0)
        }
        try store.write("Rename") { try Author(id: "a", name: "two", born: 1).save(to: &$0) }
        try store.write("Other") { try Author(id: "b", name: "b").save(to: &$0) }
        try store.write("Delete") { try Author.delete(id: "a", from: &$0) }
        try store.undo()
        try store.write("Again") { try Author.delete(id: "a", from: &$0) }
        try store.write("For good") { try Deleted<Author>.delete(id: "a", from: &$0) }
        try store.write("New") { try Author(id: "a", name: "new").save(to: &$0) }
        let history = try store.history(of: Author.self, id: "a")
        #expect(history.map(\.transaction.id) == [8, 7, 6, 5, 4, 2, 1])
        #expect(
            history.map(\.change) == [
                .inserted, .purged, .deleted, .inserted, .deleted, .updated, .inserted,
            ])
        #expect(
            history.map { $0.entity?.name } == ["new", nil, "two", "two", "two", "two", "one"])
        #expect(history[5].changedProperties == ["name"])
        #expect(history[6].transaction.author == "ann" && history[6].transaction.label == "Add")
        #expect(history[3].transaction.kind == .undo(of: 4))
        #expect(try store.history(of: Author.self, id: "nobody").isEmpty)
    }

    @Test(
        "An undo that brings back a tombstone with other values makes two versions",
        arguments: ["one", "two"])
    func returnedTombstone(name: String) throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { try Author(id: "a", name: "one").save(to: &$0) }
        try store.write { try Author.delete(id: "a", from: &$0) }
        try store.write { try Author(id: "a", name: name).save(to: &$0) }
        try store.undo()
        let history = try store.history(of: Author.self, id: "a")
        let isUpdated = name != "one"
        #expect(history.map(\.transaction.id) == (isUpdated ? [4, 4, 3, 2, 1] : [4, 3, 2, 1]))
        #expect(
            history.map(\.change)
                == [.deleted] + (isUpdated ? [.updated] : []) + [.inserted, .deleted, .inserted])
        #expect(
            history.map { $0.entity?.name }
                == ["one"] + (isUpdated ? ["one"] : []) + [name, "one", "one"])
        #expect(history.dropFirst().first?.changedProperties.contains("name") == true)
        let then = try store.context(asOf: .transaction(4))
        #expect(Author.query("a").resolve(in: then) == nil)
        #expect(Deleted<Author>.query("a").resolve(in: then)?.entity.name == "one")
        try store.restoreDeletion(of: Author.self, id: "a")
        #expect(Author.query("a").resolve(in: store.context)?.name == "one")
    }

    @Test("A write that changes an entity and deletes it makes two versions")
    func changedAndDeleted() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { try Author(id: "a", name: "one", born: 1).save(to: &$0) }
        try store.write { context in
            try Author(id: "a", name: "two", born: 1).save(to: &context)
            try Author.delete(id: "a", from: &context)
        }
        let history = try store.history(of: Author.self, id: "a")
        #expect(history.map(\.transaction.id) == [2, 2, 1])
        #expect(history.map(\.change) == [.deleted, .updated, .inserted])
        #expect(history.map { $0.entity?.name } == ["two", "two", "one"])
        #expect(history[1].changedProperties == ["name"])
    }

    @Test("Blame names the transaction that gave each property its value")
    func blame() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { try Author(id: "a", name: "one", born: 1).save(to: &$0) }
        try store.write("Rename") { try Author(id: "a", name: "two", born: 1).save(to: &$0) }
        let blame = try store.blame(of: Author.self, id: "a")
        #expect(blame["name"]?.id == 2 && blame["name"]?.label == "Rename")
        #expect(blame["born"]?.id == 1 && blame["tags"]?.id == 1)
    }

    @Test(
        "History says where it begins when older versions are dropped, and blame names what is left"
    )
    func dropped() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { try Author(id: "a", name: "one", born: 1).save(to: &$0) }
        try store.write { try Author(id: "a", name: "two", born: 1).save(to: &$0) }
        #expect(try store.history(of: Author.self, id: "a").dropped == nil)
        try store.compact(retaining: .newestState)
        var history = try store.history(of: Author.self, id: "a")
        #expect(history.isEmpty && history.dropped?.newest == 2)
        #expect(history.dropped?.oldestKept == nil)
        #expect("\(history)" == "no history is kept; the last version was made by transaction 2")
        try store.write { try Author(id: "a", name: "three", born: 1).save(to: &$0) }
        history = try store.history(of: Author.self, id: "a")
        #expect(history.map(\.transaction.id) == [3])
        #expect(history.dropped?.newest == 2 && history.dropped?.oldestKept == 3)
        #expect("\(history)".hasSuffix("the last by 2, are not kept"))
        #expect(try store.blame(of: Author.self, id: "a").mapValues(\.id) == ["name": 3])
        // Of what never was, nothing was dropped.
        #expect(try store.history(of: Author.self, id: "b").dropped == nil)
    }

    @Test("Versions of long texts are put together again")
    func longTexts() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        var text = String(repeating: "sediment ", count: 400)
        var texts: [String] = []
        for number in 0..<6 {
            text.insert(contentsOf: "\(number)", at: text.index(text.startIndex, offsetBy: 900))
            texts.append(text)
            try store.write { try Book(id: 1, title: "t", text: text).save(to: &$0) }
        }
        let history = try store.history(of: Book.self, id: 1)
        #expect(history.compactMap { $0.entity?.text } == texts.reversed())
        try store.undo()
        #expect(Book.query(1).resolve(in: store.context)?.text == texts[4])
    }

    @Test("A difference names what came, what went, what changed, and the links, both ways")
    func diff() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { context in
            for id in 1...3 { try Book(id: id, title: "\(id)").save(to: &context) }
            try Shelf(id: "s", label: nil, books: .ids([1, 2])).save(to: &context)
        }
        try store.write { context in
            try Book(id: 1, title: "one").save(to: &context)
            try Book.delete(id: 2, from: &context)
            try Book(id: 4, title: "4").save(to: &context)
            try Shelf(id: "s", label: nil, books: .ids([3, 1])).save(to: &context)
        }
        let diff = try store.diff(from: .transaction(1), to: .transaction(2))
        let books = try diff.changes(of: Book.self)
        #expect(Set(books.map(\.id)) == [1, 2, 3, 4] && books.count == 4)
        let byID = Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) })
        #expect(byID[1]?.changedProperties == ["title"])
        #expect(byID[1]?.before?.title == "1" && byID[1]?.after?.title == "one")
        #expect(byID[2]?.kind == .deleted && byID[4]?.kind == .inserted)
        #expect(byID[3]?.links.first?.added == ["s"])
        let shelf = try #require(try diff.changes(of: Shelf.self).first)
        #expect(shelf.links.first?.removed == ["2"] && shelf.links.first?.added == ["3"])
        let back = try store.diff(from: .transaction(2), to: .transaction(1))
        #expect(try back.changes(of: Book.self).first { $0.id == 2 }?.kind == .inserted)
        #expect(try store.diff(from: .transaction(2), to: .transaction(2)).isEmpty)
    }

    @Test("A preview says what a block would change, and changes nothing")
    func preview() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { context in
            try Author(id: "a", name: "a", books: .relation([Book(id: 1, title: "t")]))
                .save(to: &context)
        }
        let diff = try store.preview { context in
            try Author.delete(id: "a", from: &context)
            try Author(id: "b", name: "b").save(to: &context)
        }
        #expect(try diff.changes(of: Author.self).map(\.kind) == [.deleted, .inserted])
        #expect(try diff.changes(of: Book.self).map(\.kind) == [.deleted])
        #expect(store.lastTransaction == 1 && store.context.count(Author.self) == 1)
        #expect(diff.after.count(Author.self) == 1)
        try store.write { context in
            #expect(try store.context(asOf: .transaction(0)).count(Author.self) == 0)
            try Author(id: "c", name: "c").save(to: &context)
        }
    }

    @Test("The state before the oldest kept transaction can be asked for, by number and by date")
    func beforeTheFloor() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        func write(_ name: String) throws -> Date {
            try store.write { try Author(id: "a", name: name).save(to: &$0) }
            return try store.transaction(store.lastTransaction).time
        }
        func name(_ point: HistoryPoint) throws -> String? {
            Author.query("a").resolve(in: try store.context(asOf: point))?.name
        }
        _ = try write("first")
        _ = try write("second")
        try store.compact(retaining: Retention.newestState)
        #expect(store.floor == 3 && store.lastTransaction == 2)
        // No transaction is kept.
        #expect(try name(.transaction(2)) == "second")
        #expect(try name(.date(Date.distantFuture)) == "second")
        _ = try write("third")
        let fourth = try write("fourth")
        #expect(try name(.transaction(2)) == "second")
        #expect(try name(.date(fourth)) == "fourth")
        #expect(throws: StoreError.self) { try store.context(asOf: .transaction(1)) }
        #expect(throws: StoreError.self) { try store.context(asOf: .date(Date.distantPast)) }
        try store.rewind(to: .transaction(2))
        #expect(try name(.transaction(store.lastTransaction)) == "second")
        // What a `forget` left can be asked for as well, and nothing before it.
        try store.forget(Author.self, id: "a")
        let forgotten = store.lastTransaction
        #expect(store.floor.rawValue == forgotten.rawValue + 1)
        #expect(try name(.date(Date.distantFuture)) == nil)
        try store.write { try Author(id: "b", name: "b").save(to: &$0) }
        #expect(try store.context(asOf: .transaction(forgotten)).count(Author.self) == 0)
        #expect(throws: StoreError.self) {
            try store.context(asOf: .transaction(TransactionID(forgotten.rawValue - 1)))
        }
    }

    @Test("A date leads to the newest transaction of then, a reader of the files sees the same")
    func dates() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Author.self, Shelf.self)
        let before = Date()
        var dates: [Date] = []
        for number in 0..<5 {
            try store.write { try Author(id: "a", name: "\(number)").save(to: &$0) }
            dates.append(try store.transaction(TransactionID(UInt64(number + 1))).time)
        }
        #expect(try store.context(asOf: .date(before)).count(Author.self) == 0)
        for (number, date) in dates.enumerated() where !dates.dropFirst(number + 1).contains(date) {
            let then = try store.context(asOf: .date(date))
            #expect(Author.query("a").resolve(in: then)?.name == "\(number)")
        }
        try store.flush()
        let reader = try Store(at: place.url, mode: .readOnly, Author.self, Shelf.self)
        #expect(try reader.history(of: Author.self, id: "a").count == 5)
        let then = try reader.context(asOf: .transaction(2))
        #expect(Author.query("a").resolve(in: then)?.name == "1")
    }

    @Test("The far past is come to from a checkpoint, whole, on a writing and on a reading store")
    func farPast() throws {
        let disk = MemoryFileSystem()
        func open(_ mode: Store.Mode) throws -> Store {
            try Store(
                in: disk, mode: mode, durability: .none, retention: .everything,
                compactsAutomatically: false, types: [Author.self, Shelf.self])
        }
        let store = try open(.readWrite)
        func edit(_ number: Int) throws {
            try store.write {
                try Author(id: "a\(number % 20)", name: "edit \(number)").save(to: &$0)
            }
        }
        for number in 0..<30 { try edit(number) }
        try store.compact()
        let then = describe(store.context)
        let point = HistoryPoint.transaction(store.lastTransaction)
        for number in 30..<1_500 { try edit(number) }
        try store.flush()
        let reader = try open(.readOnly)
        for store in [store, reader] {
            for route in [PastRoute.shorter, .forth, .back] {
                #expect(difference(then, describe(try store.context(asOf: point, route))) == nil)
            }
        }
        // Without the checkpoint's file there is still the way back.
        for name in try disk.list() ?? [] where name.contains("checkpoint") {
            try disk.remove(name)
        }
        #expect(difference(then, describe(try store.context(asOf: point, .forth))) == nil)
    }

    @Test(
        "History that goes while a reader looks at it is read whole or is below the floor, and what stays is read"
    )
    func compactionBesideReader() throws {
        var position = 1
        var refusals = 0
        while let outcome = try readBesideCompaction(beforeOpen: position) {
            if outcome == .refused { refusals += 1 }
            position += 1
        }
        // A file that is open already stays readable when it is removed.
        #expect(refusals > 0 && refusals < position - 1, "\(refusals) of \(position)")
    }

    private enum Outcome { case read, refused }

    /// The other process drops most of the history right before the reader opens so many files. Nil
    /// where it never opens as many.
    private func readBesideCompaction(beforeOpen position: Int) throws -> Outcome? {
        let disk = MemoryFileSystem()
        let store = try openSmall(disk, .readWrite)
        for number in 0..<200 {
            try store.write {
                try Author(id: "a\(number % 20)", name: "edit \(number)").save(to: &$0)
            }
        }
        try store.compact()
        let hooked = HookedFileSystem(disk)
        let reader = try openSmall(hooked, .readOnly)
        let last = reader.lastTransaction
        let then = describe(try store.context(asOf: .transaction(100)))
        let opens = Lock<Int?>(position)
        hooked.setHook { operation, _, _ in
            guard operation == .open else { return }
            let isNow = opens.withLock { left in
                guard let open = left else { return false }
                left = open > 1 ? open - 1 : nil
                return left == nil
            }
            if isNow { _ = try? store.compact(retaining: .transactions(20)) }
        }
        let outcome: Outcome
        do {
            #expect(
                difference(then, describe(try reader.context(asOf: .transaction(100)))) == nil)
            outcome = .read
        } catch StoreError.belowFloor(let id, let floor) {
            #expect(id == 100 && floor == store.floor)
            outcome = .refused
        }
        guard opens.withLock({ $0 }) == nil else { return nil }
        #expect(store.floor > 100)
        let kept = try store.context(asOf: .transaction(190))
        let read = try reader.context(asOf: .transaction(190))
        #expect(difference(describe(kept), describe(read)) == nil)
        let story = try reader.history(of: Author.self, id: "a19")
        #expect(story.contains { $0.transaction.id == 200 })
        #expect(story.map(\.transaction.id).allSatisfy { $0 >= store.floor && $0 <= last })
        return outcome
    }

    private func openSmall(_ fileSystem: any FileSystem, _ mode: Store.Mode) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(4_096)
        configuration.frameBytesMax = ByteCount(1_024)
        return try Store(
            in: fileSystem, configuration: configuration, mode: mode, durability: .commit,
            retention: .everything, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }
}
