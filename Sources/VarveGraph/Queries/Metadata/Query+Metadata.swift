// Filters and sorts by what the context knows of an entity. There is no index behind them: a
// filter of a whole type is a scan of a few nanoseconds a row.

extension MetadataPredicate {
    /// The condition as the planner takes it, among others in a chain of filters.
    @inlinable
    func predicate<Entity: EntityModelProtocol>() -> QueryPredicate<Entity> {
        .metadata(words) { matches($0) }
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
    @inlinable
    func comparator<Entity: EntityModelProtocol>() -> RowComparator<Entity> {
        var comparator = RowComparator<Entity>()
        comparator.addMetadata(words) { value(of: $0) }
        return comparator
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
        return isDescending ? "\(name) descending" : name
    }
}

extension QueryList {
    /// Keeps the entities that meet the condition, in the list's order.
    @inlinable
    public func filter(_ predicate: MetadataPredicate) -> Self { filter(predicate.predicate()) }

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
    public func sorted(by order: MetadataOrder) -> Self {
        adding(.sort(order.comparator()))
    }
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
