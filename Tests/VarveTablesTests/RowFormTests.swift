import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Forms of rows")
struct RowFormTests {
    private static func content(_ entity: StateEntity) -> [UInt8] {
        [entity.isDeleted ? 1 : 0] + entity.id + entity.row
    }

    @Test("An entity or tombstone of any revision is read by its id as by its slot")
    func readsByID() throws {
        var (convertedCount, deletedCount) = (0, 0)
        for seed in 1...8 {
            var history = StateHistory(seed: seed)
            try history.advance(60)
            let state = history.state
            for table in state.tables {
                let type = table.definition.number
                let form = try #require(state.rowForm(of: type))
                guard var reader = state.reader(of: type), var cursor = state.entries(of: type)
                else { continue }
                while let entry = cursor.nextEntry() {
                    let byID = try state.read(of: type, id: entry.id, in: form, Self.content)
                    let bySlot = try reader.read(entry.slot, Self.content)
                    #expect(byID == bySlot, "seed \(seed)")
                    guard let row = byID else { continue }
                    deletedCount += row[0] == 1 ? 1 : 0
                    convertedCount += entry.revision == form.plainRevision ? 0 : 1
                }
            }
        }
        #expect(convertedCount > 0 && deletedCount > 0)
    }
}
