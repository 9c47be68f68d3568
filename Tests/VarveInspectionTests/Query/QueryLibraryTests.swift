import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@EntityModel
private struct Item {
    @Index<Self>(\.count.nilFirst, \.price.nilFirst) private var byCount
    @HashIndex<Self>(\.tag) private var byTag

    let id: Int64
    var name: String?
    var count: Int64?
    var price: Double?
    var flag: Bool = false
    var made: Date?
    var tag: Tag = .red
    @Relationship(inverse: \.items) var owner: Owner?
    @Relationship var parts: [Item]? = nil
}

@EntityModel
private struct Owner {
    let id: String
    var name: String
    @Relationship(inverse: \.owner) var items: [Item]?
}

@Storable
private enum Tag {
    case red, green, blue
}

/// Random conditions and orders, as texts of `varve query` and as queries of the library.
private struct LibraryComparison {
    typealias Condition = (text: String, predicate: QueryPredicate<Item>)
    typealias Order = (text: String, query: QueryList<Item>)

    private static let words = ["ann", "Ann", "a", "an", "bob", "plan b", ""]
    private static let comparisons = ["==", "!=", "<", "<=", ">", ">="]

    var random: SeededGenerator

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private static func compare<Value: Comparable & Sendable>(
        _ path: KeyPath<Item, Value?>, _ comparison: String, _ value: Value
    ) -> QueryPredicate<Item> {
        switch comparison {
        case "==": path == value
        case "!=": path != Optional(value)
        case "<": path < value
        case "<=": path <= value
        case ">": path > value
        default: path >= value
        }
    }

    private mutating func leaf() -> Condition {
        let comparison = Self.comparisons[number(0...5)]
        let word = Self.words[number(0...(Self.words.count - 1))]
        switch number(0...10) {
        case 0, 1:
            let value = Int64(number(-6...6))
            return ("count \(comparison) \(value)", Self.compare(\.count, comparison, value))
        case 2:
            let value = Double(number(-8...8)) / 4
            return ("price \(comparison) \(value)", Self.compare(\.price, comparison, value))
        case 3: return ("name \(comparison) \"\(word)\"", Self.compare(\.name, comparison, word))
        case 4:
            // Days of SQLComparison, and between them.
            let made = Date(timeIntervalSince1970: 1_785_542_400 + Double(number(0...150)) * 3_600)
            let text = made.formatted(.iso8601)
            return ("made \(comparison) \"\(text)\"", Self.compare(\.made, comparison, made))
        case 5: return ("flag", \.flag == true)
        case 6: return ("tag == \"green\"", \.tag == .green)
        case 7: return ("count in (1, 2, null)", .property(\.count, isIn: [1, 2, nil]))
        case 8: return ("name is null", \.name == nil)
        case 9:
            return (
                "name contains \"\(word)\"", .string(\.name, contains: word, caseSensitive: true)
            )
        default:
            return (
                "name startsWith \"\(word)\"", .string(\.name, hasPrefix: word, caseSensitive: true)
            )
        }
    }

    mutating func condition(depth: Int) -> Condition {
        guard depth > 0, number(0...3) > 0 else { return leaf() }
        let first = condition(depth: depth - 1)
        let second = condition(depth: depth - 1)
        switch number(0...2) {
        case 0: return ("not (\(first.text))", !first.predicate)
        case 1:
            return ("(\(first.text)) and (\(second.text))", first.predicate && second.predicate)
        default:
            return ("(\(first.text)) or (\(second.text))", first.predicate || second.predicate)
        }
    }

    mutating func ordered(_ query: QueryList<Item>) -> Order {
        switch number(0...6) {
        case 0: (" order by count", query.sorted(by: \.count.nilFirst))
        case 1: (" order by -count", query.sorted(by: \.count.nilFirst.desc))
        case 2:
            (" order by count, -price", query.sorted(by: \.count.nilFirst, \.price.nilFirst.desc))
        case 3: (" order by name, -id", query.sorted(by: \.name.nilFirst, \.id.desc))
        case 4: (" order by -made", query.sorted(by: \.made.nilFirst.desc))
        default: ("", query)
        }
    }
}

@Suite("Queries beside the library's own")
struct QueryLibraryTests {
    private static func store(seed: UInt64, in folder: TestFolder) throws -> String {
        var comparison = SQLComparison(seed: seed)
        let (schema, lines, store) = (
            try folder.write(SQLComparison.schema, to: "schema.json"),
            try folder.write(comparison.lines(200), to: "items.jsonl"), folder.file("items.varve")
        )
        let run = ToolRun("import", "--schema", schema, lines, store)
        try #require(run.status == .success, "\(run.errors)\(run.output)")
        return store
    }

    @Test("Random queries find what the library finds in the store that an import made")
    func comparison() throws {
        let seed = UInt64.random(in: .min ... .max)
        let folder = try TestFolder()
        let path = try Self.store(seed: seed, in: folder)
        let inspection = try Inspection(at: path)
        let store = try Store(at: URL(fileURLWithPath: path), Item.self, Owner.self)
        let context = store.context
        context.checkInvariants()
        var comparison = LibraryComparison(random: SeededGenerator(seed: seed))
        for _ in 0..<SQLComparison.count {
            let condition = comparison.condition(depth: 3)
            let order = comparison.ordered(Item.filter(condition.predicate))
            let (limit, offset) = (comparison.number(0...20), comparison.number(0...5))
            let isCut = comparison.number(0...1) == 1
            let text =
                "Item where \(condition.text)\(order.text) select id"
                + (isCut ? " limit \(limit) offset \(offset)" : "")
            let query = isCut ? order.query.limit(limit, offset: offset) : order.query
            let found = try inspection.answer(InspectionQuery(text)).rows.map { $0[0].json }
            #expect(
                found == query.resolve(in: context).map { "\($0.id)" }, "seed \(seed): \(text)")
        }
        try store.close()
    }

    @Test("Relations of an imported store are those that its entities have")
    func relations() throws {
        let folder = try TestFolder()
        let path = try Self.store(seed: 3, in: folder)
        let inspection = try Inspection(at: path)
        let store = try Store(at: URL(fileURLWithPath: path), Item.self, Owner.self)
        for number in 0..<5 {
            let owner = try #require(
                Owner.query("o\(number)").with(\.$items).resolve(in: store.context))
            let query = try InspectionQuery("Item where owner == \"o\(number)\" select id")
            let found = try inspection.answer(query).rows.compactMap { Int64($0[0].json) }
            #expect((owner.$items.ids ?? []).sorted() == found.sorted())
        }
        try store.close()
    }
}
