public import VarveGraph

extension Draft {
    /// What a query finds in the draft, now and after every edit that makes a difference; see ``Store/results(of:)``.
    ///
    /// Of a draft, ``ResultUpdate/transaction`` counts the edits. The sequence ends with its task.
    public func results<Entity: EntityModelProtocol>(
        of query: QueryList<Entity>
    ) -> LiveResults<Entity> {
        LiveResults(source: StateSource(published, of: self), query: query)
    }

    /// What a query finds in the draft, in sections of equal keys; see ``Store/results(of:sectionedBy:)``.
    public func results<Entity: EntityModelProtocol, Key: Comparable & Sendable>(
        of query: QueryList<Entity>, sectionedBy key: KeyPath<Entity, Key>
    ) -> SectionedResults<Entity, Key> {
        SectionedResults(results(of: query.sorted(by: key)), key)
    }

    /// An entity of the draft, now and whenever an edit changes it; nil while there is none. Its relations are not
    /// loaded.
    public func values<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> EntityValues<Entity, Entity?> {
        EntityValues(source: StateSource(published, of: self), id: id, reads: { $0 }, isSame: nil)
    }
}

extension ObservedResults {
    /// Finds the results of a draft, and follows its edits.
    ///
    /// - Complexity: that of resolving the query once.
    public convenience init(of query: QueryList<Entity>, in draft: Draft) {
        self.init(query, StateSource(draft.published, of: draft))
    }
}
