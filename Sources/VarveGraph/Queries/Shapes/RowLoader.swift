/// Copies rows of one table out and fills their relations.
///
/// It lives as long as one resolution of a query, on one thread; of many rows without relations to
/// fill, others copy a part.
@usableFromInline
final class RowLoader<Entity: EntityModelProtocol>: ShapeLoader {
    @exclusivity(unchecked) @usableFromInline var rows: RowCursor
    /// What was loaded, where it is kept.
    private var kept = KeptRows<Entity>()

    @inlinable
    init(_ table: Table<Entity>, fills: [ShapeFill], keeping: Keeping = .propagating) {
        rows = RowCursor(table)
        super.init(fills, keeping)
    }

    /// The entities at these slots; slots without a row are left out.
    ///
    /// - Parameter isWhole: whether these are all slots of most leaves.
    @inlinable
    func load(_ slots: ContiguousArray<UInt32>, isWhole: Bool = false) -> [Entity] {
        keeping == .kept ? loadKept(slots) : loadAnew(slots, isWhole: isWhole)
    }

    /// The entities that a query found. A deep depth list loads what they lead to first, its last level to begin with.
    @inlinable
    func load(_ slots: ContiguousArray<UInt32>, in loaders: NestedLoaders) -> [Entity] {
        loaders.prepare(self, slots)
        return load(slots)
    }

    /// The entities at these slots, each of them loaded once.
    @usableFromInline
    func loadKept(_ slots: ContiguousArray<UInt32>) -> [Entity] {
        var missing = ContiguousArray<UInt32>()
        var listed: Set<UInt32> = []
        for slot in slots
        where !kept.contains(slot) && rows.hasRow(at: slot) && listed.insert(slot).inserted {
            missing.append(slot)
        }
        for (slot, entity) in zip(missing, loadAnew(missing)) { kept.keep(entity, at: slot) }
        return slots.compactMap { kept.find($0) }
    }

    override func keeps(_ slot: UInt32) -> Bool { kept.contains(slot) }

    override func loadExpected() { _ = loadKept(takeExpected()) }

    override func forget() { kept.forget(over: NestedLoaders.keptLimit) }

    // Not inlined: it is called for each way in which rows are loaded, and is most of the code of each.
    @inlinable @inline(never)
    func loadAnew(_ slots: ContiguousArray<UInt32>, isWhole: Bool = false) -> [Entity] {
        // Without room the array is the one that all threads share, and its count is written.
        guard !slots.isEmpty else { return [] }
        return Array(unsafeUninitializedCapacity: slots.count) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            guard !fills.isEmpty else {
                count = copy(slots, isWhole: isWhole, to: base, in: RowParts(slots.count))
                return
            }
            slots.withUnsafeBufferPointer { slots in
                var rest = slots[...]
                while !rest.isEmpty {
                    let group = UnsafeBufferPointer(rebasing: rest.prefix(RowLoader.groupCount))
                    count += copyAndFill(group, to: base + count)
                    rest = rest.dropFirst(group.count)
                }
            }
        }
    }

    /// How many entities' links are asked for before the first is filled.
    @inlinable static var groupCount: Int { 64 }

    /// Copies the rows at some slots and fills their relations; returns how many there are.
    @inlinable
    func copyAndFill(
        _ slots: UnsafeBufferPointer<UInt32>, to base: UnsafeMutablePointer<Entity>
    ) -> Int {
        for fill in fills {
            guard let links = fill.links else { continue }
            for slot in slots { links.ask(for: slot) }
        }
        var count = 0
        var rows = rows
        let table = rows.table
        // Taken out of the loop: what calls a closure counts a reference to it.
        let first = fills[0]
        rows.forEachPlace(at: slots) { slot, place in
            let entity = base + count
            let place = table.settledForReading(place, Slot(slot))
            guard Table.copyRow(at: place, to: entity) else { return true }
            count += 1
            first.fill(UnsafeMutableRawPointer(entity), slot)
            var next = 1
            while next < fills.count {
                fills[next].fill(UnsafeMutableRawPointer(entity), slot)
                next += 1
            }
            return true
        }
        return count
    }

    /// Copies the rows at these slots; returns how many there are.
    @inlinable
    func copy(
        _ slots: ContiguousArray<UInt32>, isWhole: Bool = false,
        to base: UnsafeMutablePointer<Entity>, in parts: RowParts
    ) -> Int {
        slots.withUnsafeBufferPointer { slots in
            guard parts.count > 1 else {
                return rows.copyRows(at: slots, isWhole: isWhole, to: base)
            }
            var counts = ContiguousArray(repeating: 0, count: parts.count)
            counts.withUnsafeMutableBufferPointer { counts in
                // Nobody changes the slots and the table meanwhile. Each part writes what no other one
                // looks at: its own entities, and its own count.
                nonisolated(unsafe) let (table, slots, base, counts) = (
                    rows.table, slots, base, counts
                )
                parts.perform { part, range in
                    var rows = RowCursor(table)
                    counts[part] = rows.copyRows(
                        at: UnsafeBufferPointer(rebasing: slots[range]), isWhole: isWhole,
                        to: base + range.lowerBound)
                }
            }
            return RowLoader.closeGaps(between: parts, counts, at: base)
        }
    }

    /// Moves entities together where slots had no row; returns how many there are.
    @inlinable
    static func closeGaps(
        between parts: RowParts, _ counts: ContiguousArray<Int>,
        at base: UnsafeMutablePointer<Entity>
    ) -> Int {
        var count = 0
        for part in 0..<parts.count {
            let start = parts[part].lowerBound
            if count < start {
                (base + count).moveInitialize(from: base + start, count: counts[part])
            }
            count += counts[part]
        }
        return count
    }

    /// The entity at a slot alone; none where the slot holds no row.
    @inlinable
    func load(_ slot: UInt32) -> [Entity] {
        if keeping == .kept { return loadKept([slot]) }
        guard rows.hasRow(at: slot) else { return [] }
        return Array(unsafeUninitializedCapacity: 1) { buffer, count in
            guard let entity = buffer.baseAddress, rows.copyRow(at: slot, to: entity) else {
                return
            }
            count = 1
            for fill in fills { fill.fill(UnsafeMutableRawPointer(entity), slot) }
        }
    }
}
