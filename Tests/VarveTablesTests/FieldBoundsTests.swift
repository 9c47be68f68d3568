import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Rows of a value of one type and a number, by indexes on both.
///
/// Values come in classes: those of one class have one key, as values that are equal or texts that begin alike. So what an
/// index finds between two values is exactly what lies between their classes.
@Suite("Slots by values of an index")
struct FieldBoundsTests {
    private static let type = TypeNumber(1)
    private static let value = FieldNumber(1)
    private static let group = FieldNumber(2)
    private static let groupCount = 3

    /// Rows by their slots, which are not in the order of values.
    private struct Rows<Value: Storable> {
        let classes: [[Value]]
        var state = State()
        var rows: [(rank: Int, group: Int)] = []

        init(_ classes: [[Value]], _ generator: inout SeededGenerator) throws {
            self.classes = classes
            var values: [(rank: Int, value: Value)] = []
            for (rank, members) in classes.enumerated() {
                for member in members { for _ in 0..<4 { values.append((rank, member)) } }
            }
            values.shuffle(using: &generator)
            let definition = TypeDefinition(
                number: FieldBoundsTests.type, name: "T", idType: .int64,
                fields: [
                    FieldDefinition(
                        number: value, name: "value", type: Value.storedType, rung: .storable),
                    FieldDefinition(number: group, name: "group", type: .int64, rung: .storable),
                ], relations: [])
            rows = values.map { ($0.rank, generator.below(groupCount)) }
            let bytes = try UserLog.transaction(behind: state) { encoder in
                try encoder.define(definition)
                for (slot, value) in values.enumerated() {
                    encoder.insert(
                        encoder.entity(definition.number, bytes: try slot.storedBytes()),
                        ordinal: Ordinal(UInt64(slot + 1)),
                        row: try value.value.storedBytes() + rows[slot].group.storedBytes())
                }
            }
            state = try UserLog.apply(bytes, to: state)
        }

        /// Some member of a class, as a row has it; nil for no limit.
        func bytes(
            _ rank: Int?, _ generator: inout SeededGenerator
        ) throws -> [UInt8]? {
            try rank.flatMap { try classes[$0].randomElement(using: &generator)?.storedBytes() }
        }

        mutating func declare(_ fields: [IndexDeclaration.Field]) throws -> IndexDeclaration {
            let declaration = IndexDeclaration(fields)
            state = try state.changed { transaction in
                let isDeclared = try transaction.declareIndex(of: type, declaration)
                #expect(isDeclared)
            }
            return declaration
        }

        /// Compares what is found, and where keys are new, with the rows that `isWithin` lets through, by their keys.
        func check(
            _ declaration: IndexDeclaration, _ bounds: FieldBounds,
            isWithin: (_ rank: Int, _ group: Int) -> Bool
        ) throws {
            let keys = rows.map { row in
                declaration.fields.map { field in
                    let part = field.number == value ? row.rank : row.group
                    return field.isDescending ? -part : part
                }
            }
            let expected = rows.indices.filter { isWithin(rows[$0].rank, rows[$0].group) }.sorted {
                keys[$0] == keys[$1] ? $0 < $1 : keys[$0].lexicographicallyPrecedes(keys[$1])
            }
            for isReversed in [false, true] {
                var (found, newKeys): ([Int], [Bool]) = ([], [])
                let isThere = try state.forEachSlot(
                    of: type, by: declaration, in: bounds, isReversed: isReversed
                ) { slot, isNewKey in
                    found.append(slot.index)
                    newKeys.append(isNewKey)
                    return true
                }
                #expect(isThere)
                let comment: Comment = "\(declaration), \(bounds), reversed \(isReversed)"
                #expect(found == (isReversed ? expected.reversed() : expected), comment)
                let starts = found.indices.map { $0 == 0 || keys[found[$0]] != keys[found[$0 - 1]] }
                #expect(newKeys == starts, comment)
            }
        }
    }

    private static func check<Value: Storable>(_ classes: [[Value]]) throws {
        var generator = SeededGenerator(seed: UInt64(classes.count))
        var rows = try Rows(classes, &generator)
        let ranks = [nil] + classes.indices.map { Optional($0) }
        for isDescending in [false, true] {
            let part = IndexDeclaration.Field(value, isDescending: isDescending)
            let alone = try rows.declare([part])
            let behind = try rows.declare([.init(group, isDescending: !isDescending), part])
            let before = try rows.declare([part, .init(group, isDescending: isDescending)])
            for lower in ranks {
                for upper in ranks {
                    let limits = (
                        try rows.bytes(lower, &generator), try rows.bytes(upper, &generator)
                    )
                    func isWithin(_ rank: Int) -> Bool {
                        rank >= lower ?? 0 && rank <= upper ?? .max
                    }
                    let bounds = FieldBounds(equal: [], lower: limits.0, upper: limits.1)
                    try rows.check(alone, bounds) { rank, _ in isWithin(rank) }
                    try rows.check(before, bounds) { rank, _ in isWithin(rank) }
                    let group = generator.below(groupCount)
                    let second = FieldBounds(
                        equal: [try group.storedBytes()], lower: limits.0, upper: limits.1)
                    try rows.check(behind, second) { $1 == group && isWithin($0) }
                }
                guard let lower, let bytes = try rows.bytes(lower, &generator) else { continue }
                for group in 0..<groupCount {
                    let above = FieldBounds(equal: [bytes], lower: try group.storedBytes())
                    try rows.check(before, above) { $0 == lower && $1 >= group }
                    let both = FieldBounds(equal: [bytes, try group.storedBytes()])
                    try rows.check(before, both) { $0 == lower && $1 == group }
                }
            }
        }
    }

    /// Also as optionals, whose nil comes first.
    private static func checkAll<Value: Storable>(_ classes: [[Value]]) throws {
        try check(classes)
        try check([[nil]] + classes.map { members in members.map { Optional($0) } })
    }

    private static func alone<Value>(_ values: [Value]) -> [[Value]] { values.map { [$0] } }

    @Test("Integers of every width, and Bool")
    func integers() throws {
        try Self.checkAll(Self.alone([false, true]))
        try Self.checkAll(Self.alone([Int8.min, -1, 0, 1, .max]))
        try Self.checkAll(Self.alone([UInt8.min, 1, 0x7F, 0xFE, .max]))
        try Self.checkAll(Self.alone([Int16.min, -257, -1, 0, 255, .max]))
        try Self.checkAll(Self.alone([UInt16.min, 255, 256, .max]))
        try Self.checkAll(Self.alone([Int32.min, -1, 0, .max]))
        try Self.checkAll(Self.alone([UInt32.min, 65_536, .max]))
        try Self.checkAll(Self.alone([Int.min, -65_537, -1, 0, 1, 256, .max]))
        try Self.checkAll(Self.alone([UInt64.min, 1, 1 << 63, .max]))
    }

    @Test("Floating-point numbers, among them two zeros and several NaN, and dates")
    func floatingPoint() throws {
        try Self.checkAll([
            [-Double.infinity], [-1.5], [-.leastNonzeroMagnitude], [-0.0, 0], [2], [.infinity],
            [.nan, -.nan, .signalingNaN],
        ])
        try Self.checkAll([[-Float.infinity], [-2], [0, -0.0], [0.5], [.infinity], [.nan, -.nan]])
        try Self.checkAll(
            [[-1e9], [-0.0, 0], [1.5], [1e9]].map { $0.map(Date.init(timeIntervalSince1970:)) }
                .sorted { $0[0] < $1[0] })
    }

    @Test("Texts that compose, have zeros within, or are longer than a key")
    func texts() throws {
        let long = String(repeating: "x", count: 62)
        let accents = String(repeating: "é", count: 32)
        let decomposed = String(repeating: "e\u{301}", count: 32)
        try Self.checkAll([
            [""], ["\0"], ["\0\0"], ["\u{1}"], ["a"], ["a\0"], ["ab"], [long], [long + "x"],
            [long + "xx", long + "xxa", long + "xxé", long + "xx" + long], [long + "xy"],
            ["é", "e\u{301}"], ["é!", "e\u{301}!"],
            [accents, decomposed, accents + "a", decomposed + "b"], ["가", "\u{1100}\u{1161}"],
        ])
    }

    @Test("UUIDs and decimals")
    func others() throws {
        let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
        try Self.checkAll(
            Self.alone(
                bytes.map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }))
        let numbers = ["-3e40", "-1.5", "-0.049", "0", "0.05", "1", "12345678901234567890", "7e30"]
        try Self.checkAll(Self.alone(numbers.compactMap { Decimal(string: $0) } + [.nan]))
    }

    @Test("A search ends when it should; without the index, or for other values, there is none")
    func ends() throws {
        var generator = SeededGenerator(seed: 1)
        var rows = try Rows(Self.alone(Array(0..<50)), &generator)
        let declaration = try rows.declare([.init(Self.value)])
        let state = rows.state
        func count(
            by declaration: IndexDeclaration, _ bounds: FieldBounds, atMost countMax: Int = .max
        ) throws -> Int? {
            var count = 0
            let isThere = try state.forEachSlot(
                of: Self.type, by: declaration, in: bounds, isReversed: false
            ) { _, _ in
                count += 1
                return count < countMax
            }
            return isThere ? count : nil
        }
        let one = try 7.storedBytes()
        #expect(state.hasIndex(of: Self.type, declaration))
        #expect(try count(by: declaration, FieldBounds(equal: [])) == 200)
        #expect(try count(by: declaration, FieldBounds(equal: [one])) == 4)
        #expect(try count(by: declaration, FieldBounds(equal: []), atMost: 9) == 9)
        #expect(try count(by: declaration, FieldBounds(equal: [one], lower: one)) == nil)
        #expect(try count(by: declaration, FieldBounds(equal: [one, one])) == nil)
        let other = IndexDeclaration([.init(Self.group)])
        #expect(!state.hasIndex(of: Self.type, other))
        #expect(!state.hasIndex(of: TypeNumber(2), declaration))
        #expect(try count(by: other, FieldBounds(equal: [])) == nil)
        #expect(throws: CodecError.self) {
            try count(by: declaration, FieldBounds(equal: [[0x80]]))
        }
        #expect(throws: CodecError.self) {
            try count(by: declaration, FieldBounds(equal: [], upper: []))
        }
    }
}
