import Testing
import VarveTables
import VarveTestSupport

@testable import VarveInspection

/// What is found of many rows together is what is found row by row: of all kinds of fields, wherever the rows lie, in one
/// part and in many. A condition on an id is tested row by row.
@Suite("Queries of many rows together, of all kinds of fields")
struct QueryBatchKindsTests {
    private static let leavesMins = [1, RowParts.leavesMin]

    private static func condition(_ values: inout RandomValues, depth: Int) -> String {
        let comparison = values.element(["==", "!=", "<", "<=", ">", ">="])
        guard depth == 0 else {
            let first = condition(&values, depth: depth - 1)
            let second = condition(&values, depth: depth - 1)
            return values.element([
                "(\(first) and \(second))", "(\(first) or \(second))", "not \(first)", first,
            ])
        }
        let integer = values.element([
            "-129", "-128", "-1", "0", "1", "7", "127", "255", "256", "32767", "-32768", "65535",
            "2147483647", "-2147483648", "4294967295", "9223372036854775807",
            "-9223372036854775808", "0.5",
        ])
        let field = values.element([
            "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "price", "edge", "share", "rate",
            "kind", "rest", "last", "twice", "behind", "added", "late",
        ])
        return values.element([
            "\(field) \(comparison) \(integer)", "\(field) \(comparison) \(integer)",
            "price \(comparison) 0.1", "edge \(comparison) -0.0", "made \(comparison) '2001-01-01'",
            "label \(comparison) \"null\"", "label contains \"a\"", "label startsWith \"long\"",
            "rest is null", "twice is null", "share is not null", "late is null",
        ])
    }

    private static func aggregates(_ values: inout RandomValues) -> String {
        // A field that is drawn twice is one: columns have names of their own.
        let fields = Set(
            (0..<values.number(1..<4)).map { _ in
                values.element([
                    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "price", "edge", "share",
                    "rate", "kind", "rest", "last", "twice", "behind", "added", "late",
                ])
            }
        ).sorted()
        return fields.map { "sum(\($0)), average(\($0)), least(\($0)), most(\($0))" }
            .joined(separator: ", ") + ", count()"
    }

    /// Compares what each state finds with what the first one finds row by row.
    private static func expectSame(
        _ states: BatchStates, _ condition: String, _ select: String, _ seed: UInt64
    ) throws -> Int {
        let type = condition.hasPrefix("deleted ") ? "deleted Item" : "Item"
        let test = condition.replacing("deleted ", with: "")
        let expected = try states.all[0].state.answer(
            "\(type) where \(test) and id >= 0 select \(select)", leavesMin: RowParts.leavesMin)
        for (name, state) in states.all {
            for leavesMin in leavesMins {
                let found = try state.answer(
                    "\(type) where \(test) select \(select)", leavesMin: leavesMin)
                #expect(found == expected, "seed \(seed), \(name): \(type) \(test), \(select)")
            }
        }
        return expected.count
    }

    @Test("Conditions find the same rows and tombstones", arguments: 1...2)
    func conditions(_ number: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        let states = try BatchStates(seed: seed)
        var values = RandomValues(seed: seed)
        var found = 0
        for round in 0..<30 {
            let condition = Self.condition(&values, depth: round % 3)
            found += try Self.expectSame(states, condition, "id, label, added", seed)
            found += try Self.expectSame(states, "deleted \(condition)", "id, late", seed)
        }
        #expect(found > 250, "seed \(seed)")
    }

    @Test("Aggregates are the same to the last digit", arguments: 1...2)
    func aggregates(_ number: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        let states = try BatchStates(seed: seed)
        var values = RandomValues(seed: seed)
        for round in 0..<15 {
            let condition = Self.condition(&values, depth: round % 3)
            let select = Self.aggregates(&values)
            _ = try Self.expectSame(states, condition, select, seed)
            _ = try Self.expectSame(states, "deleted \(condition)", select, seed)
        }
        // Without a condition bytes tell all.
        for (name, state) in states.all {
            let select = Self.aggregates(&values)
            let found = try state.answer("Item select \(select)", leavesMin: 1)
            let expected = try states.all[0].state.answer(
                "Item where id >= 0 select \(select)", leavesMin: 1)
            #expect(found == expected, "seed \(seed), \(name): \(select)")
        }
    }

    @Test(
        "A field that rows of before have not has its fill in them, and one that is dropped is not there"
    )
    func definitions() throws {
        let states = try BatchStates(seed: 1)
        for (name, state) in states.all {
            let old = try state.answer(
                "Item where added == 7 and id < 150 select count()", leavesMin: 1)
            #expect(old == [["129"]], "\(name)")
            let deleted = try state.answer("deleted Item select count(), sum(id)", leavesMin: 1)
            #expect(deleted == [["43", "6450"]], "\(name)")
            #expect(throws: (any Error).self) {
                try state.answer("Item where gone == \"\" select id", leavesMin: 1)
            }
        }
    }
}
