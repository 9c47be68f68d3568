// Filters and sorts by what the context knows of an entity. There is no index behind them: a
// filter of a whole type is a scan of a few nanoseconds a row.

extension Table {
    /// Where the metadata of a row stand, from the row's address.
    @inlinable static var metadataOffset: Int {
        guard let offset = MemoryLayout<Cell>.offset(of: \.metadata) else {
            preconditionFailure("metadata are stored in the cell")
        }
        return offset
    }
}

extension MetadataPredicate {
    /// The condition as one on rows, whose metadata stand beside them.
    @inlinable
    func condition<Entity: EntityModelProtocol>(on type: Entity.Type) -> QueryPredicate<Entity> {
        QueryPredicate(condition(at: Table<Entity>.metadataOffset))
    }

    @usableFromInline
    func condition(at offset: Int) -> RowCondition {
        switch bounds {
        case .updatedAt(let range):
            RowCondition(.opaque(words)) { range.contains($0.metadata(at: offset).updatedAt) }
        case .transaction(let range):
            RowCondition(.opaque(words)) { range.contains($0.metadata(at: offset).transaction) }
        }
    }
}

extension Metadata {
    /// The order as one of rows, whose metadata stand beside them.
    @inlinable
    func comparator<Entity: EntityModelProtocol>(of type: Entity.Type) -> RowComparator {
        comparator(at: Table<Entity>.metadataOffset)
    }

    @usableFromInline
    func comparator(at offset: Int) -> RowComparator {
        var comparator = RowComparator()
        for key in keys {
            let isDescending = isDescending
            let read: @Sendable (UnsafeRawPointer) -> UInt64 = { row in
                let value = key.value(of: row.metadata(at: offset))
                return isDescending ? ~value : value
            }
            comparator.parts.append(
                RowComparator.Part(
                    path: nil, name: words(of: key),
                    compare: { first, second in
                        let (first, second) = (read(first), read(second))
                        return first < second ? -1 : (second < first ? 1 : 0)
                    },
                    key: { (read($0), true) }, cursorValue: CursorValue(read)))
        }
        return comparator
    }
}

extension Metadata.Key {
    /// Ascends with the metadata.
    func value(of metadata: RowMetadata) -> UInt64 {
        switch self {
        case .updatedAt: ValueOrder.signed(metadata.updatedAt)
        case .transaction: metadata.transaction
        case .ordinal: metadata.ordinal
        case .saveOrder: UInt64(metadata.saveOrder)
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
    /// All entities of the type in the order in which they were last saved, those of one save too, as a depth list's
    /// `.schemaEntities` loads them.
    @inlinable
    public static func schemaQuery() -> Self { QueryList(.all).sorted(by: .lastSave) }
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
