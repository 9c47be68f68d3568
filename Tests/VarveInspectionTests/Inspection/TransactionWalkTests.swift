import Testing
import VarveInspection

@Suite("Walks over transactions")
struct TransactionWalkTests {
    /// Many transactions in several segments, with times that jump back and forth.
    private func store(count: UInt64, segmentBytesMax: UInt64) throws -> SampleStore {
        let store = try SampleStore(segmentBytesMax: segmentBytesMax)
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        for number in 2...count {
            try store.transaction("Add \(number)") { encoder in
                encoder.insert(
                    encoder.user("user \(number)"), number - 1, try SampleStore.user("U"))
            }
        }
        try store.close()
        return store
    }

    private func ids(
        _ inspection: Inspection, _ order: TransactionWalk.Order,
        _ filter: TransactionFilter = TransactionFilter()
    ) throws -> [UInt64] {
        var walk = inspection.transactions(order, filter: filter)
        var ids: [UInt64] = []
        while let transaction = try walk.next() { ids.append(transaction.id.rawValue) }
        return ids
    }

    @Test("Both orders deliver every transaction once, across pages and segments")
    func orders() throws {
        let store = try store(count: 700, segmentBytesMax: 20_000)
        let inspection = try Inspection(at: store.path)
        #expect(try inspection.summary().files.count > 4)
        #expect(try ids(inspection, .oldestFirst) == Array(1...700))
        #expect(try ids(inspection, .newestFirst) == Array(1...700).reversed())
    }

    @Test("Filters deliver what they admit, whatever the order and the segments")
    func filters() throws {
        let store = try store(count: 300, segmentBytesMax: 8_000)
        let inspection = try Inspection(at: store.path)
        for (after, before) in [(0, 301), (1, 2), (99, 102), (100, 300), (250, 900), (300, 301)] {
            let expected = (1...300).filter { $0 > after && $0 < before }.map { UInt64($0) }
            let byID = TransactionFilter(
                after: .transaction(TransactionID(UInt64(after))),
                before: .transaction(TransactionID(UInt64(before))))
            let byTime = TransactionFilter(
                after: .moment(Moment(microseconds: SampleStore.time(UInt64(after)).microseconds)),
                before: .moment(
                    Moment(microseconds: SampleStore.time(UInt64(before)).microseconds)))
            for filter in [byID, byTime] {
                #expect(try ids(inspection, .oldestFirst, filter) == expected)
                #expect(try ids(inspection, .newestFirst, filter) == expected.reversed())
            }
        }
    }

    @Test("A type is called what it was called in each transaction's time")
    func renamedType() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction { encoder in
            encoder.insert(encoder.user("ann"), 1, try SampleStore.user("Ann", 3))
        }
        var renamed = SampleStore.users
        renamed.name = "Person"
        renamed.fields.swapAt(0, 1)
        try store.transaction(kind: .schema) { encoder in try encoder.define(renamed) }
        try store.transaction { encoder in
            // The row of the new definition: age, name, bio.
            encoder.insert(encoder.user("bob"), 2, [1, 8, 1, 0x42, 0])
        }
        try store.close()
        let inspection = try Inspection(at: store.path)
        var walk = inspection.transactions()
        #expect(try walk.next()?.types.map(\.type) == ["Person"])
        #expect(try walk.next()?.types.map(\.type) == ["Person"])
        #expect(try walk.next()?.types.map(\.type) == ["User"])
        for (id, names, type) in [
            (2, ["name", "age", "bio"], "User"), (4, ["age", "name", "bio"], "Person"),
        ] as [(UInt64, [String], String)] {
            let events = try inspection.transaction(TransactionID(id)).events
            guard case .insert(let insertion) = events.first else {
                Issue.record("no insertion")
                continue
            }
            #expect(insertion.fields.map(\.name) == names)
            #expect(insertion.entity.type == type)
        }
        #expect(
            try inspection.entities(of: "Person").entity(at: 0).fields.map(\.value.json)
                == ["3", "\"Ann\"", "\"\""])
    }

    @Test("A later segment is read by the definitions at its head")
    func laterSegments() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let whole = try SampleStore.filled()
        let (parts, one) = (try Inspection(at: store.path), try Inspection(at: whole.path))
        #expect(try parts.summary().files.count > one.summary().files.count)
        for id in 1...9 as ClosedRange<UInt64> {
            let (first, second) = (
                try parts.transaction(TransactionID(id)), try one.transaction(TransactionID(id))
            )
            #expect("\(first.events)" == "\(second.events)")
        }
    }
}
