// What generated code says about the indexes of an entity type, one call for each declaration.

extension EntityDescription {
    /// `@Index`
    @inlinable
    public mutating func index(_ name: String, _ properties: [_OrderedProperty<Entity>]) {
        add(IndexDefinition(name: name, kind: .ordered, content: .ordered(properties)))
    }

    /// `@HashIndex`
    @inlinable
    public mutating func hashIndex(_ name: String, _ properties: [_HashedProperty<Entity>]) {
        add(IndexDefinition(name: name, kind: .hash, content: .hashed(properties)))
    }

    /// `@Unique`
    @inlinable
    public mutating func unique(
        _ name: String, _ properties: [_UniqueProperty<Entity>],
        collisions: CollisionResolver<Entity> = .upsert
    ) {
        add(
            IndexDefinition(
                name: name, kind: .unique,
                content: _UniqueProperty.content(of: properties, name: name),
                uniqueness: Uniqueness(
                    resolver: collisions, value: _UniqueProperty.value(of: properties))))
    }

    /// `@FullTextIndex`
    @inlinable
    public mutating func fullTextIndex(_ name: String, _ properties: [_SearchedProperty<Entity>]) {
        add(IndexDefinition(name: name, kind: .text, content: .text(properties.map(\.field))))
    }

    @usableFromInline
    mutating func add(_ definition: IndexDefinition<Entity>) {
        precondition(erased.indexes.count < 64, "an entity has at most 64 indexes")
        erased.indexes.append(definition)
    }
}
