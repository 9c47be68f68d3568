/// Compares rows by one or more properties.
@usableFromInline
struct RowComparator<Entity: EntityModelProtocol>: Sendable {
    /// Less than, equal to or greater than zero, as the first row comes before, with or behind.
    @usableFromInline
    typealias Comparison = @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Int

    @usableFromInline var comparisons: [Comparison] = []

    @inlinable
    init() {}

    @inlinable
    mutating func add<Value: Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        let read = PropertyReader(path)
        comparisons.append { first, second in
            let first = read(first)
            let second = read(second)
            return first < second ? -1 : (second < first ? 1 : 0)
        }
    }

    /// Equal rows stay in the order they came in.
    @inlinable
    func sorted(
        _ slots: ContiguousArray<UInt32>, in table: Table<Entity>
    ) -> ContiguousArray<UInt32> {
        var rows = ContiguousArray<(row: UnsafePointer<Entity>, position: Int)>()
        rows.reserveCapacity(slots.count)
        for (position, slot) in slots.enumerated() {
            guard let row = table.row(at: Slot(slot)) else { continue }
            rows.append((row, position))
        }
        rows.sort { first, second in
            for comparison in comparisons {
                let order = comparison(first.row, second.row)
                if order != 0 { return order < 0 }
            }
            return first.position < second.position
        }
        return withExtendedLifetime(table) {
            ContiguousArray(rows.map { slots[$0.position] })
        }
    }
}
