import Foundation
import VarveTestSupport

/// Random queries of a store of items and owners, in the language of `varve query` and in SQL over the exported tables.
///
/// The two differ on purpose, and the SQL says what is meant here: null is equal to null, no comparison is null, and
/// aggregates of nothing are 0.
struct SQLComparison {
    struct Pair {
        let query: String
        let sql: String
    }

    static let schema = """
        {"types":[{"name":"Item","id":"Int64","fields":[{"name":"name","type":"String?"},\
        {"name":"count","type":"Int64?"},{"name":"price","type":"Double?"},{"name":"flag","type":"Bool"},\
        {"name":"made","type":"Date?"},{"name":"tag","type":{"enumeration":"Tag","cases":["red","green","blue"]}}],\
        "relations":[{"name":"owner","target":"Owner","inverse":"items"},\
        {"name":"parts","target":"Item","toMany":true}]},\
        {"name":"Owner","id":"String","fields":[{"name":"name","type":"String"}],\
        "relations":[{"name":"items","target":"Item","toMany":true,"inverse":"owner"}]}]}
        """

    /// How many random queries a run compares. `VARVE_QUERY_COUNT` asks more, as by night.
    static let count =
        ProcessInfo.processInfo.environment["VARVE_QUERY_COUNT"].flatMap { Int($0) } ?? 1_000

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[number(0...(elements.count - 1))]
    }

    private static let words = ["ann", "Ann", "bob", "tea", "a'b", "plan b", ""]
    private static let days = (1...6).map { "2026-08-0\($0)T0\($0):00:00" }

    // MARK: Entities

    mutating func lines(_ count: Int) -> String {
        var lines: [String] = (0..<5).map {
            "{\"type\":\"Owner\",\"id\":\"o\($0)\",\"name\":\"\(Self.words[$0])\"}"
        }
        for id in 0..<count {
            func optional(_ text: String) -> String { number(0...3) == 0 ? "null" : text }
            let parts = (0..<number(0...3)).map { _ in number(0...(count - 1)) }
            lines.append(
                "{\"type\":\"Item\",\"id\":\(id),\"name\":" + optional("\"\(element(Self.words))\"")
                    + ",\"count\":" + optional("\(number(-5...5))") + ",\"price\":"
                    + optional("\(Double(number(-8...8)) / 4)") + ",\"flag\":\(number(0...1) == 1)"
                    + ",\"made\":" + optional("\"\(element(Self.days))Z\"")
                    + ",\"tag\":\"\(element(["red", "green", "blue"]))\",\"owner\":"
                    + optional("\"o\(number(0...4))\"")
                    + ",\"parts\":\(Array(Set(parts)).sorted())}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Conditions

    private static let comparisons = ["==", "!=", "<", "<=", ">", ">="]

    private static func sql(_ left: String, _ comparison: String, _ right: String) -> String {
        switch comparison {
        case "==": "(\(left) IS \(right))"
        case "!=": "(\(left) IS NOT \(right))"
        default: "IFNULL(\(left) \(comparison) \(right), 0)"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }

    /// - Parameter table: the name of the row in SQL.
    private mutating func leaf(_ table: String, depth: Int) -> Pair {
        let comparison = element(Self.comparisons)
        func column(_ name: String) -> String { "\(table).\"\(name)\"" }
        func plain(_ query: String, _ left: String, _ right: String, _ sqlRight: String? = nil)
            -> Pair
        {
            Pair(
                query: "\(query) \(comparison) \(right)",
                sql: Self.sql(left, comparison, sqlRight ?? right))
        }
        let word = element(Self.words)
        switch number(0...14) {
        case 0: return plain("count", column("count"), "\(number(-5...5))")
        case 1: return plain("price", column("price"), "\(Double(number(-8...8)) / 4)")
        case 2: return plain("count", column("count"), "price", column("price"))
        case 3: return plain("name", column("name"), "\"\(word)\"", Self.quoted(word))
        case 4:
            return plain(
                "lower(name)", "lower(\(column("name")))", "\"\(word)\"", Self.quoted(word))
        case 5: return plain("length(name)", "length(\(column("name")))", "\(number(0...6))")
        case 6:
            return Pair(
                query: "name contains \"a\"", sql: "IFNULL(instr(\(column("name")), 'a') > 0, 0)")
        case 7:
            return Pair(
                query: "name startsWith \"An\"",
                sql: "IFNULL(substr(\(column("name")), 1, 2) = 'An', 0)")
        case 8: return Pair(query: "flag", sql: "(\(column("flag")) = 1)")
        case 9:
            let day = element(Self.days)
            return plain("made", column("made"), "\"\(day)Z\"", "'\(day).000000Z'")
        case 10:
            return plain("tag", column("tag"), "\"green\"", "'green'")
        case 11:
            let owner = "(SELECT \"name\" FROM \"Owner\" WHERE \"id\" = \(column("owner")))"
            return plain("owner.name", owner, "\"\(word)\"", Self.quoted(word))
        case 12: return Pair(query: "owner is null", sql: "(\(column("owner")) IS NULL)")
        case 13:
            return Pair(
                query: "count in (1, 2, null)",
                sql: "(IFNULL(\(column("count")) IN (1, 2), 0) OR \(column("count")) IS NULL)")
        default: return parts(table, depth: depth)
        }
    }

    private mutating func parts(_ table: String, depth: Int) -> Pair {
        let inner = table + "p"
        let condition =
            depth > 0
            ? condition(inner, depth: depth - 1) : Pair(query: "flag", sql: "\(inner).\"flag\"")
        let rows =
            "FROM \"Item.parts\" l JOIN \"Item\" \(inner) ON \(inner).\"id\" = l.\"target\" "
            + "WHERE l.\"id\" = \(table).\"id\""
        switch number(0...3) {
        case 0:
            return Pair(
                query: "any(parts, \(condition.query))",
                sql: "EXISTS (SELECT 1 \(rows) AND \(condition.sql))")
        case 1:
            return Pair(
                query: "all(parts, \(condition.query))",
                sql: "NOT EXISTS (SELECT 1 \(rows) AND NOT \(condition.sql))")
        case 2:
            return Pair(
                query: "count(parts, \(condition.query)) > 0",
                sql: "((SELECT COUNT(*) \(rows) AND \(condition.sql)) > 0)")
        default:
            let least = number(0...3)
            return Pair(
                query: "count(parts) >= \(least)", sql: "((SELECT COUNT(*) \(rows)) >= \(least))")
        }
    }

    private mutating func condition(_ table: String, depth: Int) -> Pair {
        guard depth > 0, number(0...3) > 0 else { return leaf(table, depth: depth) }
        let first = condition(table, depth: depth - 1)
        let second = condition(table, depth: depth - 1)
        switch number(0...2) {
        case 0: return Pair(query: "not (\(first.query))", sql: "(NOT \(first.sql))")
        case 1:
            return Pair(
                query: "(\(first.query)) and (\(second.query))",
                sql: "(\(first.sql) AND \(second.sql))")
        default:
            return Pair(
                query: "(\(first.query)) or (\(second.query))",
                sql: "(\(first.sql) OR \(second.sql))")
        }
    }

    // MARK: Queries

    mutating func pair() -> Pair {
        let condition = condition("t", depth: 2)
        let filter = (
            query: "Item where \(condition.query)", sql: "FROM \"Item\" t WHERE \(condition.sql)"
        )
        return number(0...2) == 0 ? grouped(filter) : plain(filter)
    }

    private mutating func plain(_ filter: (query: String, sql: String)) -> Pair {
        let key = element(["name", "count", "price", "flag", "made", "tag", "owner"])
        let isDescending = number(0...1) == 1
        var (order, sqlOrder) = ("", " ORDER BY ")
        if number(0...3) > 0 {
            order = " order by \(isDescending ? "-" : "")\(key)"
            sqlOrder += "t.\"\(key)\"\(isDescending ? " DESC" : ""), "
        }
        let (limit, offset) = (number(0...9), number(0...4))
        let hasLimit = number(0...1) == 1
        return Pair(
            query: filter.query + order + " select id, name, count, price, flag, owner"
                + (hasLimit ? " limit \(limit) offset \(offset)" : ""),
            sql: "SELECT t.\"id\", t.\"name\", t.\"count\", t.\"price\", t.\"flag\", t.\"owner\" "
                + filter.sql + sqlOrder + "t.\"@ordinal\""
                + (hasLimit ? " LIMIT \(limit) OFFSET \(offset)" : ""))
    }

    private mutating func grouped(_ filter: (query: String, sql: String)) -> Pair {
        let keys = element([["tag"], ["flag", "tag"], ["name"], ["owner"], []])
        let names = keys.joined(separator: ", ")
        let columns = keys.map { "t.\"\($0)\"" }.joined(separator: ", ")
        let values = "count(), sum(count), least(price), most(count), average(count)"
        let sqlValues =
            "COUNT(*), IFNULL(SUM(t.\"count\"), 0), MIN(t.\"price\"), MAX(t.\"count\"), AVG(t.\"count\")"
        guard !keys.isEmpty else {
            return Pair(
                query: filter.query + " select \(values)", sql: "SELECT \(sqlValues) " + filter.sql)
        }
        return Pair(
            query: filter.query + " group by \(names) select \(values) order by \(names)",
            sql:
                "SELECT \(columns), \(sqlValues) \(filter.sql) GROUP BY \(columns) ORDER BY \(columns)"
        )
    }
}

/// A value as both write it.
enum ComparedValue: Equatable, CustomStringConvertible {
    case null
    case number(Double)
    case text(String)

    init(json: String) throws {
        switch json {
        case "null": self = .null
        case "true": self = .number(1)
        case "false": self = .number(0)
        default:
            if let number = Double(json) {
                self = .number(number)
            } else {
                self = .text(try JSONDecoder().decode(String.self, from: Data(json.utf8)))
            }
        }
    }

    /// The values of a row that the shell of SQLite has written as literals.
    static func row(_ line: Substring) -> [ComparedValue] {
        var values: [ComparedValue] = []
        var rest = line
        while !rest.isEmpty {
            if rest.first == "'" {
                rest = rest.dropFirst()
                var text = ""
                while let next = rest.popFirst() {
                    if next == "'" {
                        guard rest.first == "'" else { break }
                        rest = rest.dropFirst()
                    }
                    text.append(next)
                }
                values.append(.text(text))
            } else {
                let word = rest.prefix { $0 != "," }
                rest = rest.dropFirst(word.count)
                values.append(word == "NULL" ? .null : .number(Double(word) ?? .nan))
            }
            rest = rest.dropFirst()
        }
        return values
    }

    var description: String {
        switch self {
        case .null: "null"
        case .number(let number): "\(number)"
        case .text(let text): "'\(text)'"
        }
    }
}
