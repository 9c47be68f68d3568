/// Copies rows of one table out and fills their relations.
///
/// It lives as long as one resolution of a query, on one thread.
@usableFromInline
final class RowLoader<Entity: EntityModelProtocol> {
    @exclusivity(unchecked) @usableFromInline var rows: RowCursor<Entity>
    @usableFromInline let fills: [ShapeFill]

    @inlinable
    init(_ table: Table<Entity>, fills: [ShapeFill]) {
        rows = RowCursor(table)
        self.fills = fills
    }

    /// The entities at these slots; slots without a row are left out.
    @inlinable
    func load(_ slots: ContiguousArray<UInt32>) -> [Entity] {
        // Without room the array is the one that all threads share, and its count is written.
        guard !slots.isEmpty else { return [] }
        return Array(unsafeUninitializedCapacity: slots.count) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            guard !fills.isEmpty else {
                rows.forEachRow(at: slots) { _, row in
                    (base + count).initialize(to: row.pointee)
                    count += 1
                    return true
                }
                return
            }
            // Taken out of the loop: what calls a closure counts a reference to it.
            let first = fills[0]
            for slot in slots {
                guard let row = rows.row(at: slot) else { continue }
                let entity = base + count
                entity.initialize(to: row.pointee)
                count += 1
                first(UnsafeMutableRawPointer(entity), slot)
                var next = 1
                while next < fills.count {
                    fills[next](UnsafeMutableRawPointer(entity), slot)
                    next += 1
                }
            }
        }
    }

    /// The entity at a slot alone; none where the slot holds no row.
    @inlinable
    func load(_ slot: UInt32) -> [Entity] {
        guard let row = rows.row(at: slot) else { return [] }
        return Array(unsafeUninitializedCapacity: 1) { buffer, count in
            guard let entity = buffer.baseAddress else { return }
            entity.initialize(to: row.pointee)
            count = 1
            for fill in fills { fill(UnsafeMutableRawPointer(entity), slot) }
        }
    }
}
