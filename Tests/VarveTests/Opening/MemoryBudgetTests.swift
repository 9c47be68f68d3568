import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

@EntityModel
private struct Leaflet: Equatable {
    @Unique<Self>(\.code, collisions: .throw) private var byCode
    @Index<Self>(\.rank) private var byRank

    let id: Int
    var code = 0
    var rank = 0
    var text = ""
    @Relationship(deleteRule: .nullify, inverse: \.notes) var rack: Rack?

    init(_ number: Int) {
        id = number
        code = number * 7919 % 100_003
        rank = number % 500
        text = "note \(number) \(String(repeating: "text ", count: number % 20))"
    }
}

@EntityModel
private struct Rack: Equatable {
    let id: Int
    @Relationship(inverse: \.rack) var notes: [Leaflet]?
}

/// A store that may take less memory than its entities would.
@Suite("Memory budget")
struct MemoryBudgetTests {
    private static let count = 6_000
    private static let budget = MemoryBudget.megabytes(1)

    private static func open(
        _ disk: any FileSystem, _ mode: Store.Mode = .readWrite, memory: MemoryBudget = budget
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: mode, durability: .commit,
            retention: .everything, compactsAutomatically: false, memory: memory,
            types: [Leaflet.self, Rack.self], waitingSlotsMin: 0)
    }

    private static func makeDisk(behind tail: Range<Int> = 0..<0) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, memory: .standard)
        try store.write { context in
            for number in 0..<count { try Leaflet(number).save(to: &context) }
            for number in 0..<count / 10 {
                let notes = (0..<10).map { (number + $0 * 997) % count }
                try Rack(id: number, notes: .ids(notes)).save(to: &context)
            }
        }
        try store.compact()
        try store.write { context in
            for number in tail { try Self.change(number, &context) }
        }
        try store.close()
        return disk
    }

    private static func change(_ number: Int, _ context: inout Context) throws {
        let note: Leaflet? = context.find(number)
        guard var note else { return }
        note.text = "changed \(number)"
        try note.save(to: &context)
    }

    private static func note(_ number: Int, changed: Set<Int> = []) -> Leaflet {
        var note = Leaflet(number)
        if changed.contains(number) { note.text = "changed \(number)" }
        return note
    }

    /// The table that does not fit the budget.
    private static func table(_ context: Context) throws -> AnyTable {
        try #require(context.tables.tables.unfilled.first { $0.descriptor.name == "Leaflet" })
    }

    private static func isFilled(_ context: Context) throws -> Bool {
        try table(context).hasFilled
    }

    /// Reads entities by chance, and the lists that lead to some.
    private static func readByChance(
        _ store: Store, _ count: Int, changed: Set<Int> = [], seed: UInt64 = 1
    ) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<count {
            let number = generator.below(Self.count)
            let context = store.context
            let found: Leaflet? = context.find(number)
            #expect(found == note(number, changed: changed), "seed \(seed), round \(round)")
            guard round % 16 == 0 else { continue }
            let rack = Rack.query(number / 10).with(\.$notes).resolve(in: context)
            let held = Set(rack?.notes?.map(\.id) ?? [])
            #expect(held.isSubset(of: 0..<Self.count), "seed \(seed), round \(round)")
            let code = note(number).code
            let byCode = Leaflet.filter(\.code == code).resolve(in: context)
            #expect(byCode == [note(number, changed: changed)], "seed \(seed), round \(round)")
        }
    }

    @Test(
        "Entities are found, and lists followed, in no more memory than the budget",
        arguments: [
            Store.Mode.readWrite, .readOnly,
        ])
    func reads(mode: Store.Mode) throws {
        let store = try Self.open(try Self.makeDisk(), mode)
        Self.readByChance(store, 2_500)
        let memory = store.statistics.memory
        #expect(memory.budget == Self.budget.bytes)
        #expect(try memory.exceeding == .zero && !Self.isFilled(store.context))
        // Leaves may have been evicted just now.
        #expect(memory.pages > .zero)
        // What one operation needs comes on top.
        let total = memory.tables.rawValue + memory.pages.rawValue + memory.entities.rawValue
        #expect(total < Self.budget.bytes.rawValue * 5 / 4)
    }

    @Test("Changes behind the checkpoint are read from the log, in whatever generation of pages")
    func logBehind() throws {
        let tail = 3_000..<3_200
        let store = try Self.open(try Self.makeDisk(behind: tail))
        Self.readByChance(store, 1_500, changed: Set(tail))
        #expect(try !Self.isFilled(store.context))
    }

    @Test("Writes, undo and compactions go on, and tables read the newest checkpoint behind one")
    func writes() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        var changed: Set<Int> = []
        for round in 0..<4 {
            let numbers = (0..<200).map { ($0 * 59 + round * 13) % Self.count }
            try store.write { context in
                for number in numbers { try Self.change(number, &context) }
            }
            changed.formUnion(numbers)
            Self.readByChance(store, 400, changed: changed, seed: UInt64(round))
            try store.compact()
            Self.readByChance(store, 400, changed: changed, seed: UInt64(round + 10))
            // Nothing but the newest checkpoint is read from then on.
            let checkpoints = try ScannedLog.scan(disk, mode: .readOnly).manifest.checkpoints
            let newest = try #require(checkpoints.max { $0.sequence < $1.sequence })
            let file = try Self.table(store.context).sourceFile
            #expect(file == newest.file.text, "round \(round)")
            // A table that fits stays filled, and its memory reserved, however often contexts and tables are replaced.
            #expect(store.statistics.memory.tables > .zero, "round \(round)")
            let racks = store.context.tables.tables.unfilled.first { $0.descriptor.name == "Rack" }
            #expect(try !#require(racks).isScanned, "round \(round)")
        }
        try store.undo()
        let last = (0..<200).map { ($0 * 59 + 3 * 13) % Self.count }
        let before = Set(
            (0..<3).flatMap { round in
                (0..<200).map { ($0 * 59 + round * 13) % Self.count }
            })
        #expect(!last.allSatisfy(before.contains))
        Self.readByChance(store, 400, changed: before)
        #expect(throws: (any Error).self) {
            try store.write { context in
                var note = Leaflet(4)
                note.code = Leaflet(5).code
                try note.save(to: &context)
            }
        }
        #expect(try !Self.isFilled(store.context))
        let expected = try Self.digest(store)
        try store.close()
        #expect(try Self.digest(try Self.open(disk, memory: .standard)) == expected)
    }

    private static func digest(_ store: Store) throws -> [Leaflet?] {
        let context = store.context
        return (0..<count).map { context.find($0) }
    }

    @Test("Rows along an order are all found, whatever is mended while they are looked for")
    func damagedWalk() throws {
        let disk = try Self.makeDisk(behind: 0..<10)
        try Self.open(disk, memory: .standard).compact()
        let newest = "checkpoint-0000000002"
        let expected = (0..<Self.count).sorted { ($0 % 500, $0) < ($1 % 500, $1) }
        let blocks = try LateDamageTests.blocks(of: newest, in: disk)
        for (number, block) in blocks.enumerated() where number % 3 == 0 {
            let store = try Self.open(disk, .readOnly)
            LateDamageTests.damage([block], of: newest, in: disk)
            let query = Leaflet.query().sorted(by: \.rank).limit(40)
            let found = query.resolve(in: store.context).map(\.id)
            #expect(found == Array(expected.prefix(40)), "block at \(block)")
            LateDamageTests.damage([block], of: newest, in: disk)
        }
    }

    @Test("A context that is held stays as it is, whatever is read and written meanwhile")
    func snapshots() throws {
        let store = try Self.open(try Self.makeDisk())
        let held = store.context
        for round in 0..<3 {
            try store.write { context in
                for number in stride(from: round, to: 4_000, by: 40) {
                    try Self.change(number, &context)
                }
            }
            try store.compact()
            let changed = Set((0...round).flatMap { Array(stride(from: $0, to: 4_000, by: 40)) })
            Self.readByChance(store, 500, changed: changed, seed: UInt64(round))
        }
        for number in stride(from: 0, to: Self.count, by: 7) {
            let found: Leaflet? = held.find(number)
            #expect(found == Leaflet(number))
        }
    }

    @Test("What fits half of the budget is filled, and says so")
    func fits() throws {
        let store = try Self.open(try Self.makeDisk(), memory: .megabytes(64))
        for table in store.context.tables.tables.unfilled { #expect(table.mayFill) }
        Self.readByChance(store, 1_500)
        let memory = store.statistics.memory
        #expect(memory.tables > ByteCount(500_000) && memory.tables <= .mebibytes(32))
        #expect(memory.exceeding == .zero)
        #expect(try Self.isFilled(store.context))
    }
}
