import Foundation
import Varve
import VarveTestSupport

@testable import VarveInspection

/// A type with an index on each kind of property, and the log of random changes behind a checkpoint.
@EntityModel("Row")
struct IndexedEntity {
    @HashIndex<Self>(\.flag, \.count) private var byFlag
    @Index<Self>(\.small) private var bySmall
    @Index<Self>(\.natural.desc) private var byNatural
    @Index<Self>(\.rate) private var byRate
    @Index<Self>(\.price.desc) private var byPrice
    @HashIndex<Self>(\.share) private var byShare
    @Index<Self>(\.made) private var byMade
    @HashIndex<Self>(\.seen) private var bySeen
    @Index<Self>(\.name) private var byName
    @HashIndex<Self>(\.title, \.count) private var byTitle
    @Index<Self>(\.count, \.name.desc) private var byCount
    @HashIndex<Self>(\.code) private var byCode
    @HashIndex<Self>(\.state) private var byState
    @HashIndex<Self>(\.level) private var byLevel
    @Index<Self>(\.rank.nilFirst, \.count) private var byRank

    enum State: String, CaseIterable { case open, closed, a }
    enum Level: Int, CaseIterable { case low = -1, high = 3 }

    let id: Int
    var flag: Bool
    var count: Int64
    var small: Int8
    var natural: UInt64
    var rate: Float
    var price: Double
    var share: Double?
    var made: Date
    var seen: Date?
    var name: String
    var title: String?
    var code: UUID
    var state = State.open
    var level: Level?
    var rank: Int8?
    /// Without an index.
    var note: Int
}

/// Random rows, and random conditions and orders on them: values at the limits of their types, that are equal in several
/// spellings, and that begin alike beyond what a key holds.
struct IndexedValues {
    static let counts: [Int64] = [.min, -1, 0, 1, 2, 3, .max]
    static let smalls: [Int8] = [.min, -1, 0, 1, 7, .max]
    static let naturals: [UInt64] = [0, 1, 2, 1 << 53, 1 << 53 + 1, UInt64(Int64.max), .max]
    static let rates: [Float] = [-.infinity, -0.0, 0, 0.1, 1.5, 16_777_216, .infinity, .nan]
    static let prices: [Double] = [
        -.infinity, -1e300, -0.0, 0, 0.1, 1, 1.5, 9_007_199_254_740_994, .infinity, .nan,
    ]
    static let dates = [-1e9, -0.0, 0, 0.25, 86_400, 1e9, .infinity, -.infinity, .nan]
        .map { Date(timeIntervalSinceReferenceDate: $0) }
    private static let long = String(repeating: "long ", count: 14)
    static let texts = [
        "", "a", "ab", "ab~", "abc", "b", "K9", "\u{212A}9", "x;y", "x\u{37E}y", "\u{E9}t\u{E9}",
        "e\u{301}te\u{301}", "e", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "nul\u{0}", "line\r\n",
        long + "a", long + "b", long + "\u{E9}", "ab\u{10FFFF}z", "\u{1F600}",
    ]
    static let codes = (0..<4).map {
        UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $0 * 85))
    }

    var random: SeededGenerator

    mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    mutating func isOne(of count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    mutating func entity(_ id: Int) -> IndexedEntity {
        IndexedEntity(
            id: id, flag: isOne(of: 5), count: element(Self.counts), small: element(Self.smalls),
            natural: element(Self.naturals), rate: element(Self.rates),
            price: element(Self.prices), share: isOne(of: 3) ? nil : element(Self.prices),
            made: element(Self.dates), seen: isOne(of: 3) ? nil : element(Self.dates),
            name: element(Self.texts), title: isOne(of: 3) ? nil : element(Self.texts),
            code: element(Self.codes), state: element(IndexedEntity.State.allCases),
            level: isOne(of: 3) ? nil : element(IndexedEntity.Level.allCases),
            rank: isOne(of: 3) ? nil : element(Self.smalls),
            note: Int.random(in: 0..<4, using: &random))
    }

    // MARK: Queries

    private static let orders = ["==", "<", "<=", ">", ">="]

    private mutating func number() -> String {
        element([
            "-129", "-128", "-1", "0", "1", "2", "3", "7", "127", "128", "300",
            "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "18446744073709551615", "-9223372036854775808", "0.1", "-0.0", "1.5", "1e300",
            "-1e300", "16777217", "99999999999999999999",
        ])
    }

    private mutating func text() -> String {
        let plain = Self.texts.filter { !$0.contains("\u{0}") && !$0.contains("\r\n") }
        return "'\(element(plain))'"
    }

    private mutating func date() -> String {
        element([
            "'2001-01-01T00:00Z'", "'2001-01-02T00:00Z'", "'1969-04-24T22:13:20Z'",
            "'2032-09-09T01:46:40Z'", "'2001-01-01T00:00:00.25Z'",
        ])
    }

    private mutating func operand(of field: String) -> String {
        switch field {
        case "name", "title": text()
        case "state": element(["'open'", "'closed'", "'a'", "'b'", "''"])
        case "made", "seen": date()
        case "code": "'\(element(Self.codes).uuidString)'"
        case "flag": element(["true", "false"])
        default: number()
        }
    }

    private mutating func comparison() -> String {
        let field = element([
            "flag", "count", "small", "natural", "rate", "price", "share", "made", "seen", "name",
            "title", "code", "state", "level", "rank", "note",
        ])
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return "\(field) is null"
        case 1: return "\(field) == null"
        case 2:
            let values = (0..<3).map { _ in operand(of: field) }
            return "\(field) in (\(values.joined(separator: ", ")))"
        case 3: return "\(operand(of: field)) \(element(Self.orders)) \(field)"
        case 4: return "\(field) != \(operand(of: field))"
        case 5: return "\(element(["name", "title"])) startsWith \(text())"
        case 6: return "flag"
        default: return "\(field) \(element(Self.orders)) \(operand(of: field))"
        }
    }

    mutating func condition(depth: Int = 2) -> String {
        guard depth > 0, !isOne(of: 3) else { return comparison() }
        let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in
            condition(depth: depth - 1)
        }
        let joined = parts.joined(separator: isOne(of: 3) ? " or " : " and ")
        return isOne(of: 8) ? "not (\(joined))" : "(\(joined))"
    }

    mutating func end() -> String {
        let key = element([
            "flag", "count", "small", "natural", "rate", "price", "share", "made", "seen", "name",
            "title", "code", "flag, count", "-flag, -count", "flag, -count", "count, -name",
            "-count, name", "-small", "-natural, id", "-rate, note", "-price", "-share, -id",
            "-made", "-seen", "-name", "-title, -count", "title, count", "-code", "note", "state",
            "-state, id", "level", "-level", "rank, count", "-rank, -count", "rank",
        ])
        let limit = "limit \(Int.random(in: 0...9, using: &random))"
        let offset = isOne(of: 2) ? "" : " offset \(Int.random(in: 0...5, using: &random))"
        return element([
            "select id", "select count()", "select count(), sum(note), least(price), most(share)",
            "group by note select count(), sum(count)", "order by \(key) select id",
            "order by \(key) \(limit)\(offset) select id",
            "order by \(key) \(limit) select id, name",
            "\(limit)\(offset) select id", "select id, note, count, name, title, price",
        ])
    }
}
