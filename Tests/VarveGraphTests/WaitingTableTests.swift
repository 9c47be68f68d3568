import Synchronization
import Testing

@testable import VarveGraph

private final class AmpleMemory: MemoryReservation {
    func grow(toSlots count: Int) -> Bool { true }
}

/// A source whose filling ends while one of the ids is looked up, as that of a store may, on another thread. The filled
/// table alone knows that id and all that follow.
private final class EndingSource: TableSource {
    /// Nothing changes it.
    private nonisolated(unsafe) let whole: AnyTable
    private let slots: [[UInt8]: UInt32]
    /// The look-up in which the filling ends, from 1; none for 0.
    private let end: Int
    private let lookUpCount = Atomic(0)
    private let hasEnded = Atomic(false)

    init(_ whole: Table<User>, endingAt end: Int) throws {
        self.whole = whole
        self.end = end
        var slots: [[UInt8]: UInt32] = [:]
        for index in 0..<whole.slotCount {
            var id = ByteWriter()
            try User._storeID(whole.id(of: Slot(index)), into: &id)
            slots[id.withBytes { Array($0) }] = UInt32(index)
        }
        self.slots = slots
    }

    let loadsLeaves = true
    let isWorthFilling = false
    var kind: AnyTable { whole.makeEmpty() }
    let reservation: (any MemoryReservation)? = AmpleMemory()
    var file: String? { nil }
    var failure: (any Error)? { nil }

    var filledIfThere: AnyTable? { hasEnded.load(ordering: .acquiring) ? whole : nil }

    func filled() -> AnyTable {
        hasEnded.store(true, ordering: .releasing)
        return whole
    }

    func fillAhead() { _ = filled() }

    func hasDistinctValues(ofIndex index: Int) -> Bool { false }

    func writeID(ofSlot slot: UInt32, into writer: inout ByteWriter) -> Bool { false }

    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence { .unknown }

    func storedFields(ofIndex index: Int) -> [StoredIndexField]? { nil }

    func forEachSlot(
        ofIndex index: Int, in bounds: FieldBounds, isReversed: Bool,
        while body: (_ slot: UInt32, _ isNewKey: Bool) -> Bool
    ) -> Bool { false }

    func slot(ofID id: UnsafeRawBufferPointer) -> StoredSlot {
        let number = lookUpCount.add(1, ordering: .relaxed).newValue
        if number == end { _ = filled() }
        guard filledIfThere == nil else { return .unknown }
        return slots[Array(id)].map { .known($0) } ?? .absent
    }
}

/// What is changed in a stored table is in the filled table too, wherever the filling ends.
@Suite("Changes of a table whose filling ends meanwhile")
struct WaitingTableTests {
    private static let ids = ["new 1", "3", "new 2", "vacant", "new 3", "17", "new 4"]

    /// A context whose users wait, and the position of their table.
    private func makeContext(endingAt end: Int) throws -> (context: Context, users: Int) {
        var context = Context()
        for number in 0..<20 { try User(id: "\(number)", name: "\(number)").save(to: &context) }
        try Chat(id: "old", users: .ids(["3", "vacant"])).save(to: &context)
        let position = context.position(of: User._descriptor)
        let whole = context.tables.tables[position].rows(of: User.self)
        context.tables.tables.unfilled[position] = wait(
            for: try EndingSource(whole, endingAt: end), of: whole)
        return (context, position)
    }

    private func wait(for source: EndingSource, of whole: AnyTable) -> AnyTable {
        nonisolated(unsafe) let whole = whole
        let table = whole.makeEmpty()
        table.wait(for: source)
        table.load(
            AnyTable.StoredRows(
                slotCount: whole.slotCount, liveCount: whole.liveCount,
                nextOrdinal: whole.nextOrdinal, isInSlotOrder: false,
                rows: { whole.rowLeaf($0) }, vacantIDs: { whole.vacantIDLeaf($0) }))
        for relation in whole.links.indices {
            table.loadLinks(relation: relation) { slots in
                slots.compactMap { slot in
                    let children = whole.linkList(relation: relation, of: slot).slots
                    return children.isEmpty ? nil : (slot, Array(children))
                }
            }
        }
        return table
    }

    @Test("A list links each of its ids, old and new", arguments: 0...16)
    func list(end: Int) throws {
        var (context, _) = try makeContext(endingAt: end)
        try Chat(id: "c", users: .ids(Self.ids)).save(to: &context)
        #expect(try linked(in: context) == Self.ids)
        // A new id, which must not have the slot of another.
        try User(id: "new 5", name: "five", chats: .ids(["c"])).save(to: &context)
        try User(id: "new 2", name: "two").save(to: &context)
        #expect(try linked(in: context) == Self.ids + ["new 5"])
        let chat = Chat.query("c").with(\.$users).resolve(in: context)
        #expect(chat?.users?.map(\.name) == ["3", "two", "17", "five"])
        context.checkInvariants()
    }

    private func linked(in context: Context) throws -> [String] {
        try #require(Chat.query("c").id(\.$users).resolve(in: context)).$users.heldIDs
    }

    @Test("Ids that are given slots in one change are found behind it", arguments: 0...7)
    func oneChange(end: Int) throws {
        var (context, position) = try makeContext(endingAt: end)
        let slots = context.change(User.self, at: position) { table in
            Self.ids.map { table.internSlot(of: $0) }
        }
        #expect(Set(slots).count == Self.ids.count)
        let users = try #require(context.rows(of: User.self))
        #expect(Self.ids.map { users.slot(of: $0) } == slots)
        #expect(slots.map { users.id(of: $0) } == Self.ids)
        let filled = try #require(context.table(of: User.self))
        #expect(Self.ids.map { filled.slot(of: $0) } == slots)
        #expect(filled.liveCount == 20)
        context.checkInvariants()
    }
}
