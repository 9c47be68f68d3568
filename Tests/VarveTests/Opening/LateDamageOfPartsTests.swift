import Testing
import Varve
import VarveLog
import VarveTestSupport

private enum Parts {
    @EntityModel
    struct Reading: Equatable {
        @Index<Self>(\.value) private var byValue

        let id: Int
        var value: Int
        var label: String
        @Relationship var next: Reading? = nil
    }
}

/// Blocks that change under tables which several threads fill, each a part of the slots.
@Suite("Damage under tables of several parts", .timeLimit(.minutes(10)))
struct LateDamageOfPartsTests {
    private typealias Reading = Parts.Reading

    private static let count = 100_000

    private static func open(
        _ disk: SimulatedDisk, _ mode: Store.Mode = .readOnly
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 3), mode: mode, durability: .none,
            retention: .newestState, compactsAutomatically: false, loading: .whenRead,
            types: [Reading.self])
    }

    /// Two images of many slots, tombstones in each part of them.
    private static func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, .readWrite)
        try store.write { context in
            for id in 0..<count {
                var reading = Reading(id: id, value: id % 500, label: "label \(id % 7)")
                if id % 3 == 0 { reading.$next = .id(count - 1 - id) }
                try reading.save(to: &context)
            }
        }
        try store.compact()
        try store.write { context in
            for id in stride(from: 5, to: count, by: 900) {
                try Reading.delete(id: id, from: &context)
                try Reading(id: id + 1, value: -id, label: "changed").save(to: &context)
            }
        }
        try store.compact()
        try store.close()
        return disk
    }

    /// Rows in the order of an index, links and tombstones: all that a table is filled with.
    private struct Content: Equatable {
        let rows: [Reading]
        let links: [[Int]]
        let tombstones: [Int]

        init(_ context: Context, tombstonesFirst: Bool = false) {
            let early = tombstonesFirst ? Self.tombstones(in: context) : []
            rows = Reading.query().sorted(by: \.value).resolve(in: context)
            links = Reading.query().id(\.$next).resolve(in: context).map(\.$next.heldIDs)
            tombstones = tombstonesFirst ? early : Self.tombstones(in: context)
        }

        private static func tombstones(in context: Context) -> [Int] {
            Deleted<Reading>.query().resolve(in: context).map(\.entity.id)
        }
    }

    @Test("Blocks of rows, ids, links and tombstones are made again, whichever is damaged")
    func parts() throws {
        let disk = try Self.makeDisk()
        let expected = Content(try Self.open(disk).context)
        #expect(expected.tombstones.count == 112 && expected.rows.count == Self.count - 112)
        let blocks = try LateDamageTests.blocks(of: LateDamageTests.newest, in: disk)
        #expect(blocks.count > 20)
        let step = blocks.count / 5
        let chosen = [blocks] + stride(from: 0, to: blocks.count, by: step).map { [blocks[$0]] }
        var metCount = 0
        for (number, damaged) in chosen.enumerated() {
            let store = try Self.open(disk)
            #expect(LateDamageTests.waitingCount(store.context) == 2)
            LateDamageTests.damage(damaged, of: LateDamageTests.newest, in: disk)
            let found = Content(store.context, tombstonesFirst: number % 2 == 0)
            #expect(found == expected, "\(damaged)")
            store.context.checkInvariants()
            LateDamageTests.damage(damaged, of: LateDamageTests.newest, in: disk)
            #expect(damaged.count < blocks.count || !store.health.damages.isEmpty)
            guard let met = store.health.damages.first else { continue }
            metCount += 1
            #expect(met.file == LateDamageTests.newest)
            #expect(damaged.contains(Int(met.offset?.rawValue ?? 0)))
        }
        // Filling reads rows, links and tombstones: which of the chosen blocks are such depends on the hashes of ids.
        #expect(metCount > 1)
    }
}
