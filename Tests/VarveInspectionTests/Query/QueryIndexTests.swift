import Foundation
import Testing
import VarveEvents
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import Varve
@testable import VarveInspection

/// Rows that a stored index names are looked up; what is found is what a scan of all finds.
@Suite("Queries by stored indexes")
struct QueryIndexTests {
    private static func open(_ disk: SimulatedDisk) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false, types: [IndexedEntity.self])
    }

    /// A checkpoint of some rows, and behind it the log of changes.
    private static func makeDisk(
        _ values: inout IndexedValues, rows: Int, changes: Int
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for id in 0..<rows { try values.entity(id).save(to: &context) }
        }
        try store.compact()
        for _ in 0..<changes {
            try store.write("Change") { context in
                for _ in 0..<4 {
                    let id = Int.random(in: 0..<rows + rows / 4, using: &values.random)
                    if values.isOne(of: 4) {
                        try IndexedEntity.delete(id: id, from: &context)
                    } else {
                        try values.entity(id).save(to: &context)
                    }
                }
            }
            if values.isOne(of: 5) { _ = try store.undo() }
        }
        try store.close()
        return disk
    }

    /// What a query finds, each row as its cells' JSON, and which rows it reads.
    private static func answer(
        _ text: String, in state: State, usesIndexes: Bool
    ) throws -> (rows: [[String]], source: [String]) {
        try state.reading {
            var binder = QueryBinder(state.catalog)
            let query = try binder.bind(InspectionQuery(text).syntax)
            let rows = try QueryRun(query, state, leavesMin: 3, usesIndexes: usesIndexes).answer()
            return (rows.rows.map { $0.map(\.json) }, query.sourceSteps(in: state).lines)
        }
    }

    private static func expectSame(
        in inspection: Inspection, _ values: inout IndexedValues, queries: Int
    ) throws -> (byIndex: Int, byOrder: Int) {
        let seed = values.random.seed
        var (byIndex, byOrder) = (0, 0)
        try inspection.reading { state throws(InspectionError) in
            for _ in 0..<queries {
                let type = values.isOne(of: 12) ? "deleted Row" : "Row"
                let condition = values.isOne(of: 6) ? "" : " where \(values.condition())"
                let text = "\(type)\(condition) \(values.end())"
                do {
                    let (own, source) = try answer(text, in: state, usesIndexes: true)
                    let scanned = try answer(text, in: state, usesIndexes: false).rows
                    #expect(own == scanned, "seed \(seed): \(text)\n\(source)")
                    byOrder += source[0].contains("along the index") ? 1 : 0
                    byIndex += source.last?.contains("by the index") == true ? 1 : 0
                } catch let error as QueryError {
                    // A comparison that never holds is refused, whatever is read.
                    if case .notComparable = error.problem { continue }
                    Issue.record("seed \(seed): \(text): \(error)")
                } catch {
                    Issue.record("seed \(seed): \(text): \(error)")
                }
            }
        }
        return (byIndex, byOrder)
    }

    @Test(
        "Random queries find what scans find, in a checkpoint with changes behind it and in the past"
    )
    func scans() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("queries by stored indexes: seed \(seed)")
        var values = IndexedValues(random: SeededGenerator(seed: seed))
        var (byIndex, byOrder) = (0, 0)
        for (rows, changes, queries) in [(60, 12, 150), (300, 0, 60), (600, 30, 60)] {
            let disk = try Self.makeDisk(&values, rows: rows, changes: changes)
            let inspection = try Inspection(disk)
            let counts = try Self.expectSame(in: inspection, &values, queries: queries)
            byIndex += counts.byIndex
            byOrder += counts.byOrder
            // Its entries go back with the rows.
            let last = inspection.lastTransaction.rawValue
            try inspection.goBack(to: TransactionID(last - last / 2))
            _ = try Self.expectSame(in: inspection, &values, queries: queries / 4)
        }
        #expect(byIndex > 10 && byOrder > 3, "seed \(seed): \(byIndex) and \(byOrder)")
    }

    // MARK: Which rows are read

    private static let count = 200

    /// Rows whose values follow from their numbers.
    private static func makePlainDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for id in 0..<count {
                let date = Date(timeIntervalSinceReferenceDate: Double(id))
                try IndexedEntity(
                    id: id, flag: id % 20 == 0, count: Int64(id % 50), small: Int8(id % 100),
                    natural: UInt64(id), rate: Float(id), price: Double(id), share: nil,
                    made: date, seen: date, name: "n\(id)", title: id % 2 == 0 ? nil : "t",
                    code: IndexedValues.codes[id % 4], note: id
                ).save(to: &context)
            }
        }
        try store.compact()
        try store.close()
        return disk
    }

    @Test(
        "An explanation says which index names the rows",
        arguments: [
            ("where name == 'n7'", "look up 1 of 200 entities of Row by the index on 'name'"),
            (
                "where name startsWith 'n19'",
                "look up 11 of 200 entities of Row by the index on 'name'"
            ),
            (
                "where note > 0 and (name in ('n1', 'n2', 'none') and 'n2' == name)",
                "look up 1 of 200 entities of Row by the index on 'name'"
            ),
            (
                "where name == 'n1' or small == 5",
                "look up 3 of 200 entities of Row by the index on 'name' and the index on 'small'"
            ),
            (
                "where note < 9 and (name == 'n1' or name == 'n2')",
                "look up 2 of 200 entities of Row by the index on 'name'"
            ),
            (
                "where flag and count <= 10",
                "look up 4 of 200 entities of Row by the index on 'flag', 'count'"
            ),
            ("where small > 200", "look up 0 of 200 entities of Row by the index on 'small'"),
            (
                "where natural >= 190 and natural < 195.5",
                "look up 10 of 200 entities of Row by the index on '-natural'"
            ),
            (
                "where price < 1.5 and price > -1",
                "look up 2 of 200 entities of Row by the index on '-price'"
            ),
            ("where rate <= 0.1", "look up 1 of 200 entities of Row by the index on 'rate'"),
            ("where 7 > share", "look up 0 of 200 entities of Row by the index on 'share'"),
            (
                "where made < '2001-01-01T00:00:03Z'",
                "look up 4 of 200 entities of Row by the index on 'made'"
            ),
            ("where '2001-01-01T00:00:03Z' > made", "scan 200 entities of Row"),
            ("where name == 'n1' or note == 5", "scan 200 entities of Row"),
            // More than 64.
            ("where small < 50", "scan 200 entities of Row"),
            ("where title is null", "scan 200 entities of Row"),
            // An integer is compared with a fraction as a fraction.
            ("where small == 1.5", "scan 200 entities of Row"),
            ("where not (name != 'n7')", "scan 200 entities of Row"),
            ("where name != 'n7'", "scan 200 entities of Row"),
            ("where name == 'n7' and id == 7", "look up 1 id of Row"),
            ("select count()", "take the number of 200 entities of Row"),
        ])
    func explanations(query: String, expected: String) throws {
        let lines = try Inspection(Self.makePlainDisk()).explain(InspectionQuery("Row \(query)"))
        #expect(lines.first == expected)
    }

    @Test(
        "The first rows of an order are read along an index that has it",
        arguments: [
            ("order by small limit 3", "the index on 'small', until 3 are found"),
            (
                "order by -small, id limit 3 offset 2",
                "the index on 'small', from its end, until 5 are found"
            ),
            (
                "order by natural limit 1",
                "the index on '-natural', from its end, until 1 are found"
            ),
            (
                "where flag order by count limit 2",
                "the index on 'flag', 'count', until 2 are found"
            ),
            ("order by count, -name limit 2", "the index on 'count', '-name', until 2 are found"),
            ("order by count, name limit 2", nil), ("order by title, count limit 2", nil),
            ("order by count limit 2", nil), ("order by small", nil),
            ("order by small limit 257", nil), ("order by note limit 2", nil),
        ] as [(String, String?)])
    func orders(query: String, expected: String?) throws {
        let lines = try Inspection(Self.makePlainDisk()).explain(InspectionQuery("Row \(query)"))
        let found = try #require(lines.first)
        guard let expected else {
            #expect(!found.contains("along"))
            return
        }
        #expect(found == "read Row along \(expected); where 256 do not suffice:")
        #expect(lines[1].contains("200 entities of Row"))
    }

    @Test("Leaves of some slots hold these, each once", arguments: [false, true])
    func leaves(isChanged: Bool) throws {
        var values = IndexedValues(random: SeededGenerator(seed: 5))
        let disk = try Self.makeDisk(&values, rows: 300, changes: isChanged ? 9 : 0)
        try Inspection(disk).reading { state throws(InspectionError) in
            let type = TypeNumber(1)
            let slots = [299, 3, 4, 17, 3].map { VarveTables.Slot($0) }
            let leaves = state.leavesAsStored(of: type, holding: slots)
            var found: [VarveTables.Slot] = []
            do {
                try state.reader(of: type)?.forEachBatch(in: leaves[...]) {
                    batch throws(CodecError) in
                    for row in 0..<batch.count { found.append(try batch.entity(row).slot) }
                    return true
                }
            } catch {
                Issue.record(error)
            }
            #expect(Set(found).isSuperset(of: slots) && found.count == Set(found).count)
            #expect(leaves.count == 3 && found.count <= 24)
        }
    }
}
