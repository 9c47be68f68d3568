// Filters and sorts by what the context knows of an entity. There is no index behind them: a
// filter of a whole type is a scan of a few nanoseconds a row.

extension MetadataPredicate {
    /// The condition as one on rows, whose metadata stand beside them.
    @inlinable
    func condition<Entity: EntityModelProtocol>(on type: Entity.Type) -> QueryPredicate<Entity> {
        switch bounds {
        case .updatedAt(let range):
            QueryPredicate(.opaque(words)) { row in
                range.contains(Table<Entity>.metadata(beside: row).updatedAt)
            }
        case .transaction(let range):
            QueryPredicate(.opaque(words)) { row in
                range.contains(Table<Entity>.metadata(beside: row).transaction)
            }
        }
    }
}

extension Metadata {
    /// The order as one of rows, whose metadata stand beside them.
    @inlinable
    func comparator<Entity: EntityModelProtocol>(of type: Entity.Type) -> RowComparator {
        let key: @Sendable (UnsafeRawPointer) -> UInt64 = { row in
            let value = value(of: Table<Entity>.metadata(beside: row))
            return isDescending ? ~value : value
        }
        var comparator = RowComparator()
        comparator.parts.append(
            RowComparator.Part(
                path: nil, name: words,
                compare: { first, second in
                    let (first, second) = (key(first), key(second))
                    return first < second ? -1 : (second < first ? 1 : 0)
                },
                key: { (key($0), true) }, cursorValue: CursorValue(key)))
        return comparator
    }

    /// Ascends with the metadata.
    @inlinable
    func value(of metadata: RowMetadata) -> UInt64 {
        switch key {
        case .updatedAt: ValueOrder.signed(metadata.updatedAt)
        case .transaction: metadata.transaction
        case .ordinal: metadata.ordinal
        }
    }
}

extension QueryList {
    /// Keeps the entities that meet the condition, in the list's order.
    @inlinable
    public func filter(_ predicate: MetadataPredicate) -> Self {
        filter(predicate.condition(on: Entity.self))
    }

    /// Keeps the entities that meet the condition.
    @inlinable
    public func and(_ predicate: MetadataPredicate) -> Self { filter(predicate) }

    /// Adds the entities of the type that meet the condition, in the order of that metadata.
    @inlinable
    public func or(_ predicate: MetadataPredicate) -> Self { or(.filter(predicate)) }

    /// All entities of the type that meet the condition, in the order of that metadata.
    @inlinable
    public static func filter(_ predicate: MetadataPredicate) -> Self {
        QueryList(.all).filter(predicate).sorted(by: predicate.order)
    }

    /// Sorts by metadata: `.updatedAt`, or `.updatedAt.desc` for the newest first. Entities that
    /// are equal in it stay in order.
    @inlinable
    public func sorted(by order: Metadata) -> Self {
        adding(.sort(order.comparator(of: Entity.self)))
    }
}

extension QueryList {
    /// All entities of the type in the order in which they were last saved, as a depth list's
    /// `.schemaEntities` loads them.
    @inlinable
    public static func schemaQuery() -> Self { QueryList(.all).sorted(by: .updatedAt) }
}

extension Query {
    /// Finds nothing: of a to-one relation `.schemaEntities` loads nothing.
    @inlinable
    public static func schemaQuery() -> Self { Query(QueryList(.ids([]))) }

    /// All entities of the type that meet the condition, in the order of that metadata.
    @inlinable
    public static func filter(_ predicate: MetadataPredicate) -> QueryList<Entity> {
        .filter(predicate)
    }

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

/// Both conditions hold.
@inlinable
public func && <Entity: EntityModelProtocol>(
    metadata: MetadataPredicate, predicate: QueryPredicate<Entity>
) -> QueryPredicate<Entity> { metadata.condition(on: Entity.self) && predicate }

/// Both conditions hold.
@inlinable
public func && <Entity: EntityModelProtocol>(
    predicate: QueryPredicate<Entity>, metadata: MetadataPredicate
) -> QueryPredicate<Entity> { predicate && metadata.condition(on: Entity.self) }
