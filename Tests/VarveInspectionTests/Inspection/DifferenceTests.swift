import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveInspection

@EntityModel
private struct Shelf {
    let id: Int
    var name: String
    @Relationship(inverse: \.shelf) var books: [Book]?
}

@EntityModel
private struct Book {
    let id: Int
    var title: String
    var pages = 0
    @Relationship(inverse: \.books) var shelf: Shelf?
}

@EntityModel("Book")
private struct ShortBook {
    let id: Int
    var title: String
}

/// What is compared of a difference.
private struct Difference: Hashable {
    let entity: EntityName
    let before: [InspectedField]?
    let after: [InspectedField]?
    let links: [[InspectedValue]]

    init(_ difference: InspectedDifference) {
        self.init(difference.entity, difference.before, difference.after)
    }

    init(_ entity: EntityName, _ before: InspectedEntity?, _ after: InspectedEntity?) {
        self.entity = entity
        (self.before, self.after) = (before?.fields, after?.fields)
        links = [before, after].flatMap { $0?.links.map(\.targets) ?? [] }
    }
}

@Suite("Differences between two states")
struct DifferenceTests {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("varve-difference-\(UUID().uuidString).varve")

    private var path: String { url.path }

    /// Twelve transactions of insertions, changes, deletions and links.
    private func fill(_ random: inout SeededGenerator) throws {
        let store = try Store(at: url, Shelf.self)
        try store.write { context in
            for id in 1...3 { try Shelf(id: id, name: "Shelf \(id)").save(to: &context) }
        }
        var books: Set<Int> = []
        for number in 2...12 {
            let id = Int.random(in: 1...6, using: &random)
            let shelf = Int.random(in: 1...3, using: &random)
            if books.contains(id), Bool.random(using: &random) {
                books.remove(id)
                try store.write { try Book.delete(id: id, from: &$0) }
            } else {
                books.insert(id)
                try store.write {
                    try Book(id: id, title: "Title \(number)", shelf: .id(shelf)).save(to: &$0)
                }
            }
        }
        try store.close()
    }

    /// All entities of the state behind a transaction, which is gone back to.
    private func entities(at id: UInt64) throws -> [EntityName: InspectedEntity] {
        let inspection = try Inspection(at: path)
        try inspection.goBack(to: TransactionID(id))
        var found: [EntityName: InspectedEntity] = [:]
        for type in ["Shelf", "Book"] {
            let list = try inspection.entities(of: type)
            for position in 0..<list.count {
                let entity = try list.entity(at: position)
                found[EntityName(type: type, id: entity.id)] = entity
            }
        }
        return found
    }

    private func expected(_ first: UInt64, _ second: UInt64) throws -> Set<Difference> {
        let (old, new) = (try entities(at: first), try entities(at: second))
        var differences: Set<Difference> = []
        for name in Set(old.keys).union(new.keys) {
            let pair = Difference(name, old[name], new[name])
            let same = Difference(name, new[name], old[name])
            if old[name] == nil || new[name] == nil || pair != same { differences.insert(pair) }
        }
        return differences
    }

    private func check(_ pairs: [(UInt64, UInt64)], _ remark: String) throws {
        for (first, second) in pairs {
            let inspection = try Inspection(at: path)
            let found = try inspection.difference(
                from: TransactionID(first), to: TransactionID(second))
            let differences = Set(found.map(Difference.init))
            #expect(differences.count == found.count)
            let expected = try expected(first, second)
            #expect(differences == expected, "\(remark), \(first) to \(second)")
        }
    }

    private let pairs: [(UInt64, UInt64)] = [
        (0, 12), (12, 0), (1, 12), (12, 1), (3, 9), (9, 3), (11, 12), (5, 5), (0, 0), (12, 12),
    ]

    @Test("They are those of the states that are gone back to", arguments: [1, 2, 3])
    func states(seed: UInt64) throws {
        defer { try? FileManager.default.removeItem(at: url) }
        var random = SeededGenerator(seed: seed)
        try fill(&random)
        try check(pairs, "seed \(seed), a log alone")
        let store = try Store(at: url, Shelf.self)
        try store.compact()
        try store.close()
        try check(pairs, "seed \(seed), with a checkpoint")
    }

    @Test("Definitions that changed since show entities of both states by the newest")
    func definitions() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let former = try Store(at: url, ShortBook.self)
        try former.write { try ShortBook(id: 1, title: "One").save(to: &$0) }
        try former.write { try ShortBook(id: 1, title: "Two").save(to: &$0) }
        try former.close()
        let store = try Store(at: url, Book.self)
        try store.write { try Book(id: 2, title: "New", pages: 7).save(to: &$0) }
        let last = store.lastTransaction.rawValue
        try store.close()
        for (first, second) in [(1, last), (last, 1), (1, 2)] as [(UInt64, UInt64)] {
            let found = try Inspection(at: path).difference(
                from: TransactionID(first), to: TransactionID(second))
            #expect(!found.isEmpty)
            for side in found.flatMap({ [$0.before, $0.after] }) {
                if let side { #expect(side.fields.map(\.name) == ["title", "pages"]) }
            }
        }
    }

    @Test("What the inspection shows stays the same, and more than one may be asked for")
    func independence() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        var random = SeededGenerator(seed: 4)
        try fill(&random)
        let inspection = try Inspection(at: path)
        let books = try inspection.entities(of: "Book").count
        let first = try inspection.difference(from: 2, to: 7).map(Difference.init)
        #expect(try inspection.entities(of: "Book").count == books)
        #expect(try inspection.difference(from: 2, to: 7).map(Difference.init) == first)
        #expect(throws: InspectionError.self) { try inspection.difference(from: 2, to: 99) }
    }
}
