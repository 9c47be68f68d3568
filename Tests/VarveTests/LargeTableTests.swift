import Testing
import Varve
import VarveLog
import VarveTestSupport

private enum Large {
    @EntityModel
    struct Reading: Equatable {
        @Index<Self>(\.value) private var byValue
        @HashIndex<Self>(\.label) private var byLabel

        let id: Int
        var value: Int
        var label: String
        @Relationship var next: Reading? = nil
    }
}

/// Tables that are large enough for several threads to load one of them in parts.
@Suite("Large tables")
struct LargeTableTests {
    private typealias Reading = Large.Reading

    private static let count = 70_000

    private func open(_ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 3),
            configuration: LogConfiguration(), mode: mode, durability: .none,
            retention: .newestState,
            compactsAutomatically: false, types: [Reading.self])
    }

    private func expectSame(_ found: Context, _ expected: Context) {
        let rows = Reading.query().id(\.$next).resolve(in: found)
        let others = Reading.query().id(\.$next).resolve(in: expected)
        #expect(rows.map(\.id) == others.map(\.id))
        #expect(rows.map(\.value) == others.map(\.value))
        #expect(rows.map(\.$next.heldIDs) == others.map(\.$next.heldIDs))
        #expect(
            Deleted<Reading>.query().resolve(in: found).map(\.entity.id)
                == Deleted<Reading>.query().resolve(in: expected).map(\.entity.id))
        for value in [0, 17, 499] {
            #expect(
                Reading.filter(\.value == value).resolve(in: found).map(\.id)
                    == Reading.filter(\.value == value).resolve(in: expected).map(\.id))
        }
        for label in ["label 3", "changed"] {
            #expect(
                Reading.filter(\.label == label).resolve(in: found).map(\.id)
                    == Reading.filter(\.label == label).resolve(in: expected).map(\.id))
        }
    }

    /// With tombstones, and with an id that a link alone mentions, whose entity comes behind many whose
    /// slots are behind its own.
    @Test("A table that is loaded in parts is the table that it was")
    func parts() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for id in 0..<Self.count {
                var reading = Reading(id: id, value: id % 500, label: "label \(id % 7)")
                if id == 40_000 { reading.$next = .id(1_000_000) }
                try reading.save(to: &context)
            }
            for id in stride(from: 5, to: Self.count, by: 9_000) {
                try Reading.delete(id: id, from: &context)
            }
        }
        try store.compact()
        try store.close()
        let ordered = try open(disk)
        expectSame(ordered.context, store.context)
        try ordered.write { context in
            for id in stride(from: 0, to: Self.count, by: 7_777) {
                try Reading(id: id, value: -id, label: "changed").save(to: &context)
            }
            try Reading(id: 1_000_000, value: 17, label: "late").save(to: &context)
            try Reading.delete(id: 60_000, from: &context)
        }
        try ordered.close()
        let disordered = try open(disk)
        expectSame(disordered.context, ordered.context)
        expectSame(try open(disk, .readOnly).context, ordered.context)
        try disordered.write { context in
            try Reading(id: 1_000_001, value: 17, label: "label 3").save(to: &context)
            try Reading.delete(id: 33_000, from: &context)
        }
        disordered.context.checkInvariants()
    }

    @Test(
        "Tables of about as many slots as two parts or three have are what they were",
        arguments: TestSize.choose(
            [65_536, 65_537], nightly: [65_535, 65_536, 65_537, 98_304]))
    func sizes(count: Int) throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for id in 0..<count {
                try Reading(id: id, value: id % 500, label: "label \(id % 7)").save(to: &context)
            }
            // Of one of them the first part has no row at all.
            for id in 0..<(count == 65_537 ? 33_000 : 1) {
                try Reading.delete(id: id, from: &context)
            }
        }
        try store.compact()
        try store.close()
        let opened = try open(disk)
        expectSame(opened.context, store.context)
        opened.context.checkInvariants()
    }
}
