import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A query that an index serves need not look at ordinals where the state knows that slots are in their order.
@Suite("Insertion order of slots")
struct InsertionOrderTests {
    private static let type = UserLog.type

    /// Whether rows, of entities and tombstones, are in insertion order by their slots, by looking at each.
    private static func isInOrder(_ state: State, _ type: TypeNumber) throws -> Bool {
        var cursor = try #require(state.entries(of: type))
        var last: UInt64 = 0
        while let entry = cursor.nextEntry() {
            guard entry.presence.hasRow else { continue }
            if entry.stamps.ordinal <= last { return false }
            last = entry.stamps.ordinal
        }
        return true
    }

    @Test(
        "What a state says of the order is true, through a log and an image",
        arguments: TestSize.choose(1...30, nightly: 1...200))
    func law(seed: Int) throws {
        var history = StateHistory(seed: seed)
        for _ in 0..<12 {
            try history.advance(5)
            let image = try history.state.image()
            let opened = try State.open(MemorySource(image.bytes)).state
            for definition in history.state.catalog.definitions {
                let type = definition.number
                #expect(opened.isInSlotOrder(type) == history.state.isInSlotOrder(type))
                guard history.state.isInSlotOrder(type) else { continue }
                #expect(try Self.isInOrder(history.state, type), "seed \(seed)")
            }
        }
    }

    @Test("Entities that come one behind the other are in order, whatever becomes of them")
    func appended() throws {
        var state = try UserLog.state(count: 300)
        state = try UserLog.delete(50..<60, of: state)
        state = try UserLog.add(300..<310, to: state)
        #expect(state.isInSlotOrder(Self.type))
        let opened = try State.open(MemorySource(state.image().bytes)).state
        #expect(try UserLog.add(310..<320, to: opened).isInSlotOrder(Self.type))
    }

    @Test("One that is inserted again is behind others with later slots")
    func insertedAgain() throws {
        let state = try UserLog.delete(5..<6, of: UserLog.state(count: 30))
        let again = try UserLog.apply(to: state) { encoder in
            encoder.insert(
                encoder.entity(Self.type, bytes: UserLog.id(5)), ordinal: Ordinal(31),
                row: UserLog.row(5, age: 1))
        }
        #expect(!again.isInSlotOrder(Self.type))
        #expect(try !Self.isInOrder(again, Self.type))
        let opened = try State.open(MemorySource(again.image().bytes)).state
        #expect(!opened.isInSlotOrder(Self.type))
    }

    @Test("A state has the order again that is read from pages of entities")
    func pagesOfEntities() throws {
        let state = try UserLog.delete(50..<60, of: UserLog.state(count: 300))
        #expect(state.isInSlotOrder(Self.type))
        let loaded = try StateCheckpointTests.Pages(of: state).load()
        #expect(loaded.isInSlotOrder(Self.type))
        #expect(loaded.nextOrdinal(of: Self.type) == state.nextOrdinal(of: Self.type))
        #expect(try UserLog.add(300..<310, to: loaded).isInSlotOrder(Self.type))
    }

    @Test("A root that says more slots than there are is refused")
    func forged() throws {
        let (bytes, image, _) = try UserLog.state(count: 20).image()
        let end = image.root.directory.endOffset
        for (count, isRefused) in [(21, false), (22, true)] {
            var root = image.root
            root.state.tables[0].parts.slotOrder = SlotOrder(encoded: count)
            let forged = [UInt8](bytes[..<Int(end)]) + (try root.encode(at: end)).copyBytes()
            let state = try? State.open(MemorySource(forged)).state
            #expect((state == nil) == isRefused)
        }
    }
}
