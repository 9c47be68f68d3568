import Testing
import Varve

@EntityModel
private struct Reading: Equatable {
    let id: Int
    var sensor: String
    var value: Int
    var remark: String
}

@Suite("Removal of all entities of a type (MD-22)")
struct RemovalCostTests {
    /// What a write adds to the log, before compression.
    private func logged(_ store: Store, _ body: (inout Context) throws -> Void) throws -> Int {
        let before = store.statistics.log.rawBytes.rawValue
        try store.write { try body(&$0) }
        return Int(store.statistics.log.rawBytes.rawValue - before)
    }

    @Test("It is one step to undo, and logs little more than the rows that an undo brings back")
    func cost() throws {
        let store = try Store.inMemory(Reading.self)
        let readings = (0..<1_000).map { number in
            Reading(
                id: number, sensor: "Sensor \(number)", value: number * 7,
                remark: "Some words about \(number)")
        }
        let insertion = try logged(store) { context in
            for reading in readings { try reading.save(to: &context) }
        }
        let transaction = store.lastTransaction
        var count = 0
        let removal = try logged(store) { count = try Reading.query().delete(from: &$0) }
        #expect(count == readings.count)
        #expect(store.lastTransaction.rawValue == transaction.rawValue + 1)
        #expect(Reading.query().resolve(in: store.context).isEmpty)
        #expect(Deleted<Reading>.query().resolve(in: store.context).count == readings.count)
        #expect(removal * 4 < insertion * 5, "\(removal) and \(insertion) bytes")
        try store.undo()
        #expect(Reading.query().resolve(in: store.context) == readings)
        store.context.checkInvariants()
    }
}
