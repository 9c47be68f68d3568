public import VarveGraph

extension Store {
    /// What a query finds, now and after every transaction that makes a difference, undos included.
    ///
    /// ```swift
    /// for await update in store.results(of: User.filter(\.age > 18).sorted(by: \.name)) {
    ///     rows = update.changes.apply(to: rows) { update.list[$0] }
    /// }
    /// ```
    ///
    /// Queries of conditions and orders by properties are kept up to date row by row: a transaction
    /// costs O(log n) for each row it changes, whatever the number of results. Others are asked again
    /// where a transaction has touched a type that they read, and compared. All of it happens where
    /// the sequence is iterated; a writer only notes what it has touched.
    ///
    /// In a store that is only read, lists follow ``refresh()``.
    public func results<Entity: EntityModelProtocol>(
        of query: QueryList<Entity>
    ) -> LiveResults<Entity> {
        LiveResults(source: StateSource(self), query: query)
    }

    /// What a query finds, in sections of equal keys, now and after every transaction that makes a difference.
    ///
    /// ```swift
    /// for await update in store.results(of: Song.query(), sectionedBy: .property(\.genre)) {
    ///     rows = update.sections.applying(update.changes, to: rows) { update.sections[$0] }
    /// }
    /// ```
    ///
    /// Within a section the results are in the query's own order.
    public func results<Entity: EntityModelProtocol, Key: Sendable>(
        of query: QueryList<Entity>, sectionedBy key: SectionKey<Entity, Key>
    ) -> SectionedResults<Entity, Key> {
        SectionedResults(source: StateSource(self), sections: LiveSections(query, by: key))
    }

    /// An entity, now and whenever a transaction changes one of its properties; nil while there is
    /// none. Its relations are not loaded.
    public func values<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> EntityValues<Entity, Entity?> {
        EntityValues(source: StateSource(self), id: id, reads: { $0 }, isSame: nil)
    }

    /// One property of an entity, now and whenever it has another value; nil while there is no such
    /// entity.
    ///
    /// - Precondition: the property reads no relation. For the entities that a relation leads to, use
    ///   ``results(of:)`` with `related(_:)`.
    public func values<Entity: EntityModelProtocol, Value: Equatable & Sendable>(
        of type: Entity.Type, id: Entity.ID, _ path: KeyPath<Entity, Value>
    ) -> EntityValues<Entity, Value?> {
        Entity._refuseRelation(path)
        let path = SendableKeyPath(path)
        return EntityValues(
            source: StateSource(self), id: id,
            reads: { $0.map { Entity._select(path.raw, of: $0) } }, isSame: ==)
    }
}

/// A key path that may cross threads: it is immutable, and a property's path captures nothing.
struct SendableKeyPath<Root, Value>: @unchecked Sendable {
    // Unchecked: a key path is not Sendable only because a subscript may capture what is not.
    let raw: KeyPath<Root, Value>

    init(_ raw: KeyPath<Root, Value>) { self.raw = raw }
}
