import Foundation
import Testing
import Varve
import VarveGraph
import VarveTestSupport

/// Links between entities that were deleted one after the other, and are restored in any order.
@Suite("Links of restored entities")
struct RestoredLinkTests {
    private static let books = [0, 1, 2, 3]

    private func store(in disk: SimulatedDisk) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .commit, compactsAutomatically: false, types: [Author.self, Shelf.self])
    }

    private func fill(_ store: Store) throws {
        try store.write("Fill") { context in
            let books = Self.books.map { Book(id: $0, title: "b\($0)") }
            try Author(
                id: "a", name: "a", books: .relation(books),
                profile: .relation(Profile(id: "p", text: "p"))
            ).save(to: &context)
            try Shelf(id: "s", label: nil, books: .ids([3, 1, 0, 2])).save(to: &context)
            try Shelf(id: "t", label: nil, books: .ids([0, 1])).save(to: &context)
            var first = Book(id: 0, title: "b0")
            (first.$sequel, first.$related) = (.id(1), .ids([2, 1, 3]))
            try first.save(to: &context)
            var second = Book(id: 1, title: "b1")
            (second.$sequel, second.$related) = (.id(2), .ids([0]))
            try second.save(to: &context)
        }
    }

    /// What is deleted by itself. An author's deletion takes its books along.
    private enum Subject: CaseIterable {
        case author, profile, first, second, shelf

        func delete(from context: inout Context) throws {
            switch self {
            case .author: try Author.delete(id: "a", from: &context)
            case .profile: try Profile.delete(id: "p", from: &context)
            case .first: try Book.delete(id: 0, from: &context)
            case .second: try Book.delete(id: 1, from: &context)
            case .shelf: try Shelf.delete(id: "s", from: &context)
            }
        }

        func restore(in store: Store, isWhole: Bool) throws -> Restoration? {
            switch self {
            case .author: try store.restoreDeletion(of: Author.self, id: "a")
            case .profile:
                try isWhole
                    ? store.restoreDeletion(of: Profile.self, id: "p")
                    : store.restore(Profile.self, id: "p")
            case .first: try store.restore(Book.self, id: 0)
            case .second:
                try isWhole
                    ? store.restoreDeletion(of: Book.self, id: 1) : store.restore(Book.self, id: 1)
            case .shelf: try store.restore(Shelf.self, id: "s")
            }
        }
    }

    /// The content with the ids of each list in ascending order.
    private func links(_ context: Context) -> [String] {
        var lines: [String] = []
        for author in Author.query().id(\.$books).id(\.$profile).resolve(in: context) {
            lines.append(
                "\(author.id) \(author.$books.heldIDs.sorted()) \(author.$profile.heldIDs)")
        }
        let books = Book.query().id(\.$author).id(\.$shelves).id(\.$sequel).id(\.$related)
        for book in books.resolve(in: context) {
            lines.append(
                "\(book.id) \(book.$author.heldIDs) \(book.$shelves.heldIDs.sorted())"
                    + " \(book.$sequel.heldIDs) \(book.$related.heldIDs.sorted())")
        }
        for shelf in Shelf.query().id(\.$books).resolve(in: context) {
            lines.append("\(shelf.id) \(shelf.$books.heldIDs.sorted())")
        }
        for profile in Profile.query().id(\.$author).resolve(in: context) {
            lines.append("\(profile.id) \(profile.$author.heldIDs)")
        }
        return lines.sorted()
    }

    @Test(
        "In whichever order entities go and return, all links are there in the end",
        arguments: 1...12 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        var store = try store(in: disk)
        try fill(store)
        let before = links(store.context)
        let chosen = Subject.allCases.shuffled(using: &random)
            .prefix(Int.random(in: 2...5, using: &random))
        for subject in chosen { try store.write { try subject.delete(from: &$0) } }
        var contents = [content(store.context)]
        if Bool.random(using: &random) {
            try store.close()
            store = try self.store(in: disk)
        }
        var steps = 0
        for subject in chosen.shuffled(using: &random) {
            if let restoration = try subject.restore(
                in: store, isWhole: Bool.random(using: &random))
            {
                steps += 1
                contents.append(content(store.context))
                #expect(restoration.transaction == store.lastTransaction)
                let waiting = Set(store.context.danglingLinks())
                #expect(waiting.isSuperset(of: restoration.unlinked), "seed \(seed)")
            }
            store.context.checkInvariants()
        }
        #expect(links(store.context) == before, "seed \(seed), \(chosen)")
        #expect(store.context.danglingLinks().isEmpty, "seed \(seed)")
        for step in (0..<steps).reversed() {
            try store.undo()
            #expect(
                difference(contents[step], content(store.context)) == nil, "seed \(seed), \(step)")
        }
        for step in 1...max(1, steps) where steps > 0 {
            try store.redo()
            #expect(
                difference(contents[step], content(store.context)) == nil, "seed \(seed), \(step)")
        }
        let last = content(store.context)
        try store.close()
        store = try self.store(in: disk)
        #expect(difference(last, content(store.context)) == nil, "seed \(seed), reopened")
    }

    @Test("What cannot be linked yet is listed, and is at its place once the other end returns")
    func unlinked() throws {
        let store = try store(in: SimulatedDisk())
        try fill(store)
        let before = links(store.context)
        try store.write { try Shelf.delete(id: "s", from: &$0) }
        try store.write { try Book.delete(id: 1, from: &$0) }
        let shelf = try #require(try store.restore(Shelf.self, id: "s"))
        #expect(
            shelf.unlinked == [
                DanglingLink(
                    type: "Shelf", id: "s", relation: "books", targetType: "Book", targetID: "1",
                    isDeleted: true)
            ])
        #expect(Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [3, 0, 2])
        let related = Shelf.query("s").related(\.$books).resolve(in: store.context)
        #expect(related.map(\.id) == [3, 0, 2])
        #expect(try store.restoreDeletion(of: Book.self, id: 1)?.unlinked == [])
        #expect(links(store.context) == before)
        #expect(
            Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [3, 1, 0, 2])
    }

    @Test("A save that sets the links anew leaves nothing of those that were not visible")
    func replaced() throws {
        let store = try store(in: SimulatedDisk())
        try fill(store)
        try store.write { try Shelf.delete(id: "s", from: &$0) }
        try store.write { try Book.delete(id: 1, from: &$0) }
        try store.restore(Shelf.self, id: "s")
        try store.write { try Shelf(id: "s", label: nil, books: .ids([2])).save(to: &$0) }
        try store.restore(Book.self, id: 1)
        #expect(Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [2])
        #expect(Book.query(1).id(\.$shelves).resolve(in: store.context)?.$shelves.ids == ["t"])
        store.context.checkInvariants()
    }

    @Test("Nothing is linked to what went for good, nor to what comes in its place")
    func purged() throws {
        let store = try store(in: SimulatedDisk())
        try fill(store)
        try store.write { try Shelf.delete(id: "s", from: &$0) }
        try store.write { try Book.delete(id: 1, from: &$0) }
        try store.write { try Deleted<Book>.delete(id: 1, from: &$0) }
        #expect(try store.restore(Shelf.self, id: "s")?.unlinked == [])
        try store.write { try Book(id: 1, title: "another").save(to: &$0) }
        #expect(Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [3, 0, 2])
    }

    @Test("A forced undo keeps a link for the entity that another scope has deleted")
    func forcedUndo() throws {
        let store = try store(in: SimulatedDisk())
        try fill(store)
        try store.write(options: WriteOptions(scope: "left")) {
            try Shelf.delete(id: "s", from: &$0)
        }
        try store.write(options: WriteOptions(scope: "right")) {
            try Profile.delete(id: "p", from: &$0)
            try Book.delete(id: 1, from: &$0)
        }
        #expect(throws: StoreError.self) { try store.undo(scope: "left") }
        try store.undo(scope: "left", force: true)
        #expect(Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [3, 0, 2])
        try store.undo(scope: "right")
        #expect(
            Shelf.query("s").id(\.$books).resolve(in: store.context)?.$books.ids == [3, 1, 0, 2])
        store.context.checkInvariants()
    }

    @Test("Below the floor links return in either order from what the tombstones hold")
    func belowFloor() throws {
        for isShelfFirst in [true, false] {
            let store = try store(in: SimulatedDisk())
            try fill(store)
            let before = links(store.context)
            try store.write { try Shelf.delete(id: "s", from: &$0) }
            try store.write { try Book.delete(id: 1, from: &$0) }
            try store.write { try Author(id: "c", name: "c").save(to: &$0) }
            try store.compact(retaining: .newestState)
            try store.write { try Author.delete(id: "c", from: &$0) }
            if isShelfFirst {
                #expect(try store.restore(Shelf.self, id: "s")?.unlinked.map(\.targetID) == ["1"])
                try store.restore(Book.self, id: 1)
            } else {
                try store.restore(Book.self, id: 1)
                #expect(try store.restore(Shelf.self, id: "s")?.unlinked == [])
            }
            #expect(links(store.context) == before)
            store.context.checkInvariants()
        }
    }
}
