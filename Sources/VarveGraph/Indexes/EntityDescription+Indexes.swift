// What generated code says about the indexes of an entity type, one call for each declaration.

extension EntityDescription {
    /// `@Index`
    @inlinable
    public mutating func index(_ name: String, _ properties: [_OrderedProperty<Entity>]) {
        erased.index(name, properties.map(\.column))
    }

    /// `@HashIndex`
    @inlinable
    public mutating func hashIndex(_ name: String, _ properties: [_HashedProperty<Entity>]) {
        erased.hashIndex(name, properties.map(\.column))
    }

    /// `@Unique`
    @inlinable
    public mutating func unique(
        _ name: String, _ properties: [_UniqueProperty<Entity>],
        collisions: CollisionResolver<Entity> = .upsert
    ) {
        erased.unique(
            name, properties.map(\.column), resolver: collisions, of: "\(Entity.self)",
            ignoresNil: collisions.ignoresNil)
    }

    /// `@FullTextIndex`
    @inlinable
    public mutating func fullTextIndex(_ name: String, _ properties: [_SearchedProperty<Entity>]) {
        erased.fullTextIndex(name, properties.map(\.field))
    }
}

extension ErasedDescription {
    @usableFromInline
    mutating func index(_ name: String, _ columns: [OrderedColumn]) {
        add(IndexDefinition(name: name, kind: .ordered, content: .ordered(columns)))
    }

    @usableFromInline
    mutating func hashIndex(_ name: String, _ columns: [HashedColumn]) {
        add(IndexDefinition(name: name, kind: .hash, content: .hashed(columns)))
    }

    /// - Parameters:
    ///   - resolver: a ``CollisionResolver`` of the entity's type.
    ///   - type: the name of the entity's type.
    @usableFromInline
    mutating func unique(
        _ name: String, _ columns: [UniqueColumn], resolver: any Sendable, of type: String,
        ignoresNil: Bool
    ) {
        add(
            IndexDefinition(
                name: name, kind: .unique,
                content: UniqueColumn.content(of: columns, named: "\(type).\(name)"),
                uniqueness: Uniqueness(
                    resolver: resolver, ignoresNil: ignoresNil,
                    value: UniqueColumn.value(of: columns))))
    }

    @usableFromInline
    mutating func fullTextIndex(_ name: String, _ fields: [TextField]) {
        add(IndexDefinition(name: name, kind: .text, content: .text(fields)))
    }

    private mutating func add(_ definition: IndexDefinition) {
        precondition(indexes.count < 64, "an entity has at most 64 indexes")
        indexes.append(definition)
    }
}
