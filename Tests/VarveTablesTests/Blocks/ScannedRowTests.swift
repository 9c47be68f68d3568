import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Rows that are scanned")
struct ScannedRowTests {
    private struct Row: Equatable {
        let slot: Slot
        let id: [UInt8]
        let row: [UInt8]
        let isDeleted: Bool
        let stamps: EntityStamps

        init(_ entity: StateEntity) {
            (slot, id, row) = (entity.slot, [UInt8](entity.id), [UInt8](entity.row))
            isDeleted = entity.isDeleted
            stamps = EntityStamps(
                ordinal: entity.ordinal.rawValue, transaction: entity.transaction.rawValue,
                updatedAt: entity.updatedAt.microseconds, saveOrder: entity.saveOrder)
        }
    }

    private static func read(_ type: TypeNumber, of state: State) throws -> [Row] {
        var rows: [Row] = []
        guard var reader = state.reader(of: type) else { return [] }
        try reader.forEach { rows.append(Row($0)) }
        return rows
    }

    /// In the order of their slots, in which they are not scanned.
    private static func scan(
        _ type: TypeNumber, of state: State,
        _ part: (ArraySlice<StoredLeaf>) -> ArraySlice<StoredLeaf> = { $0 }
    ) throws -> [Row] {
        var rows: [Row] = []
        guard let reader = state.reader(of: type) else { return [] }
        let leaves = part(state.leavesAsStored(of: type)[...])
        try reader.forEachBatch(in: leaves) { batch throws(CodecError) in
            for index in 0..<batch.count {
                let entity = try batch.entity(index)
                rows.append(Row(entity))
                #expect(batch.isDeleted(index) == entity.isDeleted)
                #expect(batch.ordinal(index) == entity.ordinal)
                if batch.rows[index].baseAddress != nil {
                    #expect(batch.rows[index].elementsEqual(entity.row))
                }
            }
            #expect(batch.deletedCount == (0..<batch.count).count { batch.isDeleted($0) })
            return true
        }
        return rows.sorted { $0.slot.index < $1.slot.index }
    }

    /// A state with a history, and what its image opens as.
    private static func states(seed: Int) throws -> (state: State, opened: State) {
        var history = StateHistory(seed: seed)
        try history.advance(60)
        let state = history.state
        return (state, try State.open(MemorySource(try state.image().bytes)).state)
    }

    @Test(
        "They are those that are read, whatever of them is in memory and wherever it lies",
        arguments: 1...20)
    func sameRows(seed: Int) throws {
        let (state, opened) = try Self.states(seed: seed)
        for type in state.catalog.definitions.map(\.number) {
            let expected = try Self.read(type, of: state)
            #expect(try Self.scan(type, of: state) == expected, "seed \(seed)")
            #expect(
                try opened.reading { try Self.scan(type, of: opened) } == expected, "seed \(seed)")
            let parts = try opened.reading {
                try Self.scan(type, of: opened, { $0.prefix(3) })
                    + Self.scan(type, of: opened, { $0.dropFirst(3) })
            }
            #expect(parts.sorted { $0.slot.index < $1.slot.index } == expected, "seed \(seed)")
            // All of it is in memory now.
            _ = try opened.reading { try Self.read(type, of: opened) }
            #expect(
                try opened.reading { try Self.scan(type, of: opened) } == expected, "seed \(seed)")
        }
    }

    @Test("Their blocks are read once, and not kept")
    func memory() throws {
        let state = try UserLog.state(count: 5_000)
        let (bytes, image, _) = try state.image()
        let source = MemorySource(bytes)
        let opened = try State.open(source).state
        let before = source.ranges.count
        let rows = try opened.reading { try Self.scan(UserLog.type, of: opened) }
        #expect(rows.count == 5_000)
        let ranges = source.ranges[before...]
        #expect(Set(ranges).count == ranges.count)
        let leaves = try image.root.directory.allBlocks().filter {
            $0.run.kind == PageKind(.rowLeaf)
        }
        let rowBytes = leaves.reduce(0) { $0 + $1.run.byteCount }
        let kept = try #require(opened.store.cold).loadedBytes
        #expect(leaves.count > 10 && kept < rowBytes / 4)
        // Where the caller has enough, no more is read.
        guard let reader = opened.reader(of: UserLog.type) else { return }
        var count = 0
        try reader.forEachBatch(in: opened.leavesAsStored(of: UserLog.type)[...]) { batch in
            count += batch.count
            return false
        }
        #expect(count > 3 && source.ranges.count == before + ranges.count + 1)
    }

    /// As ``TableWork`` collects them: rows are looked at when they are about to become invalid.
    private static func scanSlots(_ type: TypeNumber, of state: State) throws -> [Row] {
        var rows: [Row] = []
        var batch: [StateEntity] = []
        guard var reader = state.reader(of: type) else { return [] }
        try reader.forEachSlot(in: 0..<reader.slotCount) {
            rows += batch.map(Row.init)
            batch = []
        } _: { entity in
            guard entity.presence.hasRow else { return }
            if entity.rowStays { return batch.append(entity) }
            rows += batch.map(Row.init) + [Row(entity)]
            batch = []
        }
        return rows
    }

    @Test("In the order of slots they stay until their memory is used again", arguments: 1...20)
    func slots(seed: Int) throws {
        let (state, opened) = try Self.states(seed: seed)
        for type in state.catalog.definitions.map(\.number) {
            let expected = try Self.read(type, of: state)
            for _ in 1...2 {
                #expect(
                    try opened.reading { try Self.scanSlots(type, of: opened) } == expected,
                    "seed \(seed)")
            }
        }
    }

    @Test("Leaves that lie in turns in several blocks stay as well", arguments: 1...6)
    func turns(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let first = try UserLog.state(count: 4_000)
        var state = first
        // The first state keeps its pages, so what is updated goes to other blocks.
        for start in stride(from: 0, to: 4_000, by: 8 << generator.below(3)) {
            let row = start + generator.below(8)
            state = try UserLog.update(row..<row + 1, of: state)
        }
        let opened = try State.open(MemorySource(try state.image().bytes)).state
        let rows = try opened.reading { try Self.scanSlots(UserLog.type, of: opened) }
        #expect(rows == (try Self.read(UserLog.type, of: state)), "seed \(seed)")
        withExtendedLifetime(first) {}
    }

    @Test("In the order of slots their blocks are not kept either")
    func memoryOfSlots() throws {
        let state = try UserLog.state(count: 20_000)
        let source = MemorySource(try state.image().bytes)
        let opened = try State.open(source).state
        let before = source.ranges.count
        let rows = try opened.reading { try Self.scanSlots(UserLog.type, of: opened) }
        #expect(rows == (try Self.read(UserLog.type, of: state)))
        let ranges = source.ranges[before...]
        #expect(Set(ranges).count == ranges.count)
        let kept = try #require(opened.store.cold).loadedBytes
        #expect(kept < rows.reduce(0) { $0 + $1.row.count } / 4)
    }

    @Test("A damaged block is met as by a read")
    func damage() throws {
        let (bytes, image, _) = try UserLog.state(count: 5_000).image()
        let block = try #require(
            image.root.directory.allBlocks().last {
                $0.run.kind == PageKind(.rowLeaf) && $0.liveFrames > 5
            })
        var damaged = bytes
        damaged[Int(block.offset) + block.storedCount / 2] ^= 0x40
        let opened = try State.open(MemorySource(damaged)).state
        #expect(throws: (any Error).self) {
            try opened.reading { try Self.scan(UserLog.type, of: opened) }
        }
        #expect(opened.health?.damages.count == 1)
    }
}
