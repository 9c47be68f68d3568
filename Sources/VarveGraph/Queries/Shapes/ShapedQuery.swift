/// A query whose entities can be loaded along with what they are related to.
///
/// The order of calls does not matter: a filter, sort, limit, `first()` or `last()` that follows
/// loses nothing. Of several calls for one relation the last one counts. A relation that is loaded
/// with a `slice:` label, or that does not show all that is linked (because its nested query
/// filters or limits, or because a linked entity is not there), is a slice: saved back, it adds
/// its links and cuts none.
public protocol ShapedQuery<Entity>: Sendable {
    /// The type of the entities that the query finds.
    associatedtype Entity: EntityModelProtocol

    func _loading(_ step: ShapeStep) -> Self
}

/// A query, of whatever it finds: ``Query``, ``QueryList`` or ``QueryGroup``. For code that is generic
/// over queries.
public protocol ContextQuery<Entity, Result, Key>: ShapedQuery {
    /// `Entity?` of a query for one, `[Query<Entity>]` of a list, `[[Query<Entity>]]` of a group.
    associatedtype Result
    /// The id's type of a query for one, `Void` of the others.
    associatedtype Key
    /// What it resolves to.
    associatedtype Resolved

    /// Returns what the query finds in a context.
    func resolve(in context: Context) -> Resolved
}

extension Query: ContextQuery {
    /// The entity, or nil where there is none.
    public typealias Result = Entity?
    /// The type of the entity's id.
    public typealias Key = Entity.ID
}

extension QueryList: ContextQuery {
    /// A query for each entity of the list.
    public typealias Result = [Query<Entity>]
    /// Nothing: a list has no id.
    public typealias Key = Void
}

extension QueryGroup: ContextQuery {
    /// A query for each entity of each list.
    public typealias Result = [[Query<Entity>]]
    /// Nothing: a group has no id.
    public typealias Key = Void
}

/// Says what a query for a related entity loads: the argument of `with(_:nested:)`.
public typealias QueryModifier<Entity: EntityModelProtocol> = (Query<Entity>) -> Query<Entity>
/// Says which related entities a query loads, and how.
public typealias QueryListModifier<Entity: EntityModelProtocol> =
    (QueryList<Entity>) -> QueryList<Entity>

extension Query: ShapedQuery {
    @inlinable
    public func _loading(_ step: ShapeStep) -> Self { Query(list._loading(step)) }
}

extension QueryList: ShapedQuery {
    @inlinable
    public func _loading(_ step: ShapeStep) -> Self {
        var copy = self
        copy.plan.shape.add(step)
        return copy
    }
}

extension QueryGroup: ShapedQuery {
    @inlinable
    public func _loading(_ step: ShapeStep) -> Self {
        var copy = self
        copy.plan.shape.add(step)
        return copy
    }
}

// MARK: - To-many relations

extension ShapedQuery {
    /// Loads the entities of a to-many relation.
    @inlinable
    public func with<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(), nested) }

    /// Loads the entities of a to-many relation, to be appended when saved back.
    @inlinable
    public func with<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(isSlice: true), nested) }

    /// Loads the entities of a to-many relation, marked as fragments.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(isFragment: true), nested) }

    /// Loads the entities of a to-many relation, marked as fragments, to be appended when saved
    /// back.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(isFragment: true, isSlice: true), nested) }

    /// Loads only the ids of a to-many relation; a nested query says which.
    @inlinable
    public func id<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loadingIDs(path, LoadedForm(), nested) }

    /// Loads only the ids of a to-many relation, to be appended when saved back.
    @inlinable
    public func id<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToManyRelation<Child, Direction, Rule>>,
        nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self { loadingIDs(path, LoadedForm(isSlice: true), nested) }
}

// MARK: - To-one relations

extension ShapedQuery {
    /// Loads the entity of a to-one relation.
    @inlinable
    public func with<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm()) { nested(Query($0)).list } }

    /// Loads the entity of a to-one relation, to be added when saved back.
    @inlinable
    public func with<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(isSlice: true)) { nested(Query($0)).list } }

    /// Loads the entity of a to-one relation, marked as a fragment.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self { loading(path, LoadedForm(isFragment: true)) { nested(Query($0)).list } }

    /// Loads the entity of a to-one relation, marked as a fragment, to be added when saved back.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self {
        loading(path, LoadedForm(isFragment: true, isSlice: true)) { nested(Query($0)).list }
    }

    /// Loads only the id of a to-one relation; a nested query may put a condition.
    @inlinable
    public func id<Child, Direction, Rule>(
        _ path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self { loadingIDs(path, LoadedForm()) { nested(Query($0)).list } }

    /// Loads only the id of a to-one relation, to be added when saved back.
    @inlinable
    public func id<Child, Direction, Rule>(
        slice path: KeyPath<Entity, ToOneRelation<Child, Direction, Rule>>,
        nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self { loadingIDs(path, LoadedForm(isSlice: true)) { nested(Query($0)).list } }
}

// MARK: - One factory for all

extension ShapedQuery {
    @inlinable
    func loading<Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>,
        _ form: LoadedForm, _ nested: (QueryList<Child>) -> QueryList<Child>
    ) -> Self {
        // What a nested query starts from is the relation; only its plan counts.
        _loading(
            .entities(
                Relation<Child, Direction, Cardinality, Rule>.self, at: RelationPlace(path),
                plan: nested(QueryList(.ids([]))).plan, as: form))
    }

    @inlinable
    func loadingIDs<Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>,
        _ form: LoadedForm, _ nested: (QueryList<Child>) -> QueryList<Child>
    ) -> Self {
        _loading(
            .ids(
                Relation<Child, Direction, Cardinality, Rule>.self, at: RelationPlace(path),
                plan: nested(QueryList(.ids([]))).plan, as: form))
    }
}
