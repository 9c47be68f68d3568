import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveInspection

@Suite("The order of values of a query")
struct QueryValueOrderTests {
    /// Values that are near one another, or of kinds that a property of JSON may hold in turn.
    private static let leaves: [StoredContent] = [
        .optional(nil), .bool(false), .bool(true), .signed(0), .unsigned(1), .double(1), .float(1),
        .double(-0.0), .double(.nan), .float(.nan), .double(.infinity), .double(-.infinity),
        .signed(1 << 53), .signed(1 << 53 + 1), .double(0x1p53), .unsigned(.max), .double(0x1p64),
        .signed(.max), .signed(.max - 1), .decimal("0.1"), .double(0.1), .float(0.1),
        .decimal("0.10000000000000000001"), .decimal("NaN"), .decimal("9223372036854775807"),
        .double(1e300), .double(.leastNonzeroMagnitude), .date(0), .date(.nan), .date(1),
        .string(""), .string("1"),
        .string("é"), .string("e\u{301}"), .url("1"), .data([]), .data([1, 2]), .data([1]),
        .json(Array("[1,\"a\",null]".utf8)), .json(Array("{\"a\":1}".utf8)),
        .json(Array("9007199254740993".utf8)), .json(Array("no document".utf8)),
        .optional(.signed(1)), .enumeration(index: 0, name: "a", payload: []),
    ]

    private static func value(_ random: inout SeededGenerator, depth: Int = 2) -> StoredContent {
        guard depth > 0, Int.random(in: 0..<4, using: &random) == 0 else {
            return leaves.randomElement(using: &random)!
        }
        let elements = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            value(&random, depth: depth - 1)
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .array(elements)
        case 1: return .set(elements)
        default: return .structure(elements.map { StoredContent.Member(name: "m", value: $0) })
        }
    }

    @Test("Is a strict weak order of values of all kinds", arguments: 1...6 as ClosedRange<UInt64>)
    func isStrict(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (seed == 1 ? Self.leaves : []) + (0..<40).map { _ in Self.value(&random) }
        let before = values.map { one in
            values.map { QueryValue.sorts(one, before: $0) }
        }
        for one in values.indices {
            #expect(before[one][one] == nil, "seed \(seed): \(values[one])")
            for two in values.indices {
                let text: Comment = "seed \(seed): \(values[one]), \(values[two])"
                #expect(before[two][one] == before[one][two].map { !$0 }, text)
                for three in values.indices
                where before[one][two] != false && before[two][three] != false {
                    // Not behind both: not behind, and the same only where both are the same.
                    let isSame = before[one][two] == nil && before[two][three] == nil
                    if before[one][three] == (isSame ? nil : true) { continue }
                    Issue.record("seed \(seed): \(values[one]), \(values[two]), \(values[three])")
                }
            }
        }
    }

    @Test("Has numbers by value, NaN behind them, and kinds one after the other")
    func order() {
        let ordered: [[StoredContent]] = [
            [.optional(nil)], [.bool(false)], [.bool(true)], [.double(-.infinity)],
            [.signed(0), .double(-0.0), .decimal("0")], [.decimal("0.1"), .double(0.1)],
            [.decimal("0.10000000000000000001")], [.float(0.1)],
            [.signed(1), .double(1), .unsigned(1)], [.signed(1 << 53), .double(0x1p53)],
            [.signed(1 << 53 + 1)], [.double(.infinity)], [.double(.nan), .float(.nan)],
            [.date(1)], [.date(.nan)], [.string("1"), .url("1")], [.data([1])],
            [.array([.signed(1)]), .set([.double(1)])], [.array([.signed(1), .optional(nil)])],
            [.array([.string("a")])], [.structure([])],
        ]
        for (position, group) in ordered.enumerated() {
            for (other, values) in ordered.enumerated() {
                for (one, two) in group.flatMap({ one in values.map { (one, $0) } }) {
                    let expected = position == other ? nil : position < other
                    #expect(QueryValue.sorts(one, before: two) == expected, "\(one), \(two)")
                }
            }
        }
    }

    @Test("Is that of least and most, in whatever order the rows come")
    func tallies() {
        let values: [StoredContent] = [.double(.nan), .string("a"), .signed(3), .bool(true)]
        for start in values.indices {
            var (least, most) = (QueryTally(.least), QueryTally(.most))
            for value in values[start...] + values[..<start] {
                least.add(value)
                most.add(value)
            }
            #expect(QueryValue.sorts(least.value, before: .bool(true)) == nil)
            #expect(QueryValue.sorts(most.value, before: .string("a")) == nil)
        }
    }
}
