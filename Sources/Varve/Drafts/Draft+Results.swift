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
    public func results<Entity: EntityModelProtocol, Key: Sendable>(
        of query: QueryList<Entity>, sectionedBy key: SectionKey<Entity, Key>
    ) -> SectionedResults<Entity, Key> {
        SectionedResults(
            source: StateSource(published, of: self), sections: LiveSections(query, by: key))
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
    public convenience init(
        of query: QueryList<Entity>, in draft: Draft, on actor: any Actor = MainActor.shared
    ) {
        self.init(query, StateSource(draft.published, of: draft), on: actor)
    }
}

extension ObservedSections {
    /// Finds the results of a draft, and follows its edits.
    ///
    /// - Complexity: that of resolving the query once, in the order of the keys.
    public convenience init(
        of query: QueryList<Entity>, by key: SectionKey<Entity, Key>, in draft: Draft,
        on actor: any Actor = MainActor.shared
    ) {
        self.init(
            LiveSections(query, by: key), StateSource(draft.published, of: draft), on: actor)
    }
}

extension ObservedEntity {
    /// Finds an entity of a draft, and follows its edits.
    ///
    /// - Complexity: that of resolving the query once.
    public convenience init(
        _ query: Query<Entity>, in draft: Draft, on actor: any Actor = MainActor.shared
    ) {
        self.init(query, StateSource(draft.published, of: draft), on: actor)
    }
}
