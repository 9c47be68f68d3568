// Filters and sorts by what the context knows of an entity. There is no index behind them: a
// filter of a whole type is a scan of a few nanoseconds a row.

extension MetadataPredicate {
    /// Keeps the rows that meet the condition, in their order.
    @inlinable
    func step<Entity: EntityModelProtocol>() -> RowPlan<Entity>.Step {
        .transform(
            RowTransform(words) { slots, context in
                guard let table = context.table(of: Entity.self) else { return [] }
                var rows = RowCursor(table)
                var slots = slots
                slots.removeAll { slot in
                    guard let cell = rows.cell(at: slot) else { return true }
                    return !matches(cell.pointee.metadata)
                }
                return slots
            })
    }

    /// The rows of a type that meet the condition, in insertion order.
    @inlinable
    func scan<Entity: EntityModelProtocol>(
        _ type: Entity.Type, in context: Context
    ) -> ContiguousArray<UInt32> {
        guard let table = context.table(of: type) else { return [] }
        var slots = ContiguousArray<UInt32>()
        table.forEachRow { slot, row in
            if matches(Table.metadata(at: row)) { slots.append(slot.rawValue) }
            return true
        }
        return slots
    }
}

extension Table {
    /// The metadata beside a row that stands in a cell of the table.
    @inlinable
    static func metadata(at row: UnsafePointer<Entity>) -> RowMetadata {
        // A row stands at its cell's address.
        UnsafeRawPointer(row).assumingMemoryBound(to: Cell.self).pointee.metadata
    }
}

extension MetadataOrder {
    /// Sorts rows; equal ones stay in order.
    @inlinable
    func step<Entity: EntityModelProtocol>() -> RowPlan<Entity>.Step {
        .transform(
            RowTransform(words, keepsAllRows: true) { slots, context in
                guard let table = context.table(of: Entity.self) else { return [] }
                var rows = RowCursor(table)
                var keys = ContiguousArray<MetadataKey>()
                keys.reserveCapacity(slots.count)
                for (place, slot) in slots.enumerated() {
                    guard let cell = rows.cell(at: slot) else { continue }
                    keys.append(
                        MetadataKey(
                            value: value(of: cell.pointee.metadata),
                            place: UInt32(truncatingIfNeeded: place), slot: slot))
                }
                return MetadataKey.sorted(keys)
            })
    }

    /// Ascends in the wanted order.
    @inlinable
    func value(of metadata: RowMetadata) -> Int64 {
        let value =
            switch key {
            case .updatedAt: metadata.updatedAt
            case .transaction: Int64(bitPattern: metadata.transaction)
            case .ordinal: Int64(bitPattern: metadata.ordinal)
            }
        return isDescending ? ~value : value
    }

    @usableFromInline var words: String {
        let name =
            switch key {
            case .updatedAt: "updatedAt"
            case .transaction: "transaction"
            case .ordinal: "insertion"
            }
        return "sort by \(name)\(isDescending ? " descending" : "")"
    }
}

/// A row to be sorted by its metadata.
@frozen
@usableFromInline
struct MetadataKey {
    @usableFromInline let value: Int64
    @usableFromInline let place: UInt32
    @usableFromInline let slot: UInt32

    @inlinable
    init(value: Int64, place: UInt32, slot: UInt32) {
        self.value = value
        self.place = place
        self.slot = slot
    }

    @usableFromInline
    static func sorted(_ keys: ContiguousArray<MetadataKey>) -> ContiguousArray<UInt32> {
        var keys = keys
        // Entities are mostly saved in the order of the list.
        let isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0.value <= $1.value }
        if !isSorted { keys.sort { ($0.value, $0.place) < ($1.value, $1.place) } }
        return ContiguousArray(keys.map(\.slot))
    }
}

extension QueryList {
    /// Keeps the entities that meet the condition, in the list's order.
    @inlinable
    public func filter(_ predicate: MetadataPredicate) -> Self {
        guard case .all = source, plan.steps.isEmpty else { return adding(predicate.step()) }
        return QueryList(.related { predicate.scan(Entity.self, in: $0) }, plan: plan)
    }

    /// Keeps the entities that meet the condition.
    @inlinable
    public func and(_ predicate: MetadataPredicate) -> Self { filter(predicate) }

    /// Adds the entities of the type that meet the condition.
    @inlinable
    public func or(_ predicate: MetadataPredicate) -> Self { or(.filter(predicate)) }

    /// All entities of the type that meet the condition, in the order of that metadata.
    @inlinable
    public static func filter(_ predicate: MetadataPredicate) -> Self {
        QueryList(.all).filter(predicate).sorted(by: predicate.order)
    }

    /// Sorts by metadata; entities that are equal in it stay in order.
    @inlinable
    public func sorted(by order: MetadataOrder) -> Self { adding(order.step()) }
}

extension Query {
    /// Finds the entity only if it meets the condition.
    @inlinable
    public func filter(_ predicate: MetadataPredicate) -> Self { Query(list.filter(predicate)) }
}

extension EntityModelProtocol {
    /// The entities of the type that meet the condition, in the order of that metadata.
    @inlinable
    public static func filter(_ predicate: MetadataPredicate) -> QueryList<Self> {
        .filter(predicate)
    }
}
