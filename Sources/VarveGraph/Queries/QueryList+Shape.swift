// Loading relations along with the entities of a query. The order of calls does not matter: a
// filter or sort that follows loses nothing.

extension QueryList {
    /// Loads the entities of a to-many relation.
    @inlinable
    public func with<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        _ nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(QueryList<Child>(.all)).plan,
                isFragment: false, isSlice: false))
    }

    /// Loads the entities of a to-many relation, to be appended when saved back.
    @inlinable
    public func with<Child, Direction, Rule>(
        slice path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        _ nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(QueryList<Child>(.all)).plan,
                isFragment: false, isSlice: true))
    }

    /// Loads the entities, marked as fragments of a to-many relation.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        _ nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(QueryList<Child>(.all)).plan,
                isFragment: true, isSlice: false))
    }

    /// Loads the entities, marked as fragments of a to-many relation, to be appended when saved back.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        slice path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        _ nested: (QueryList<Child>) -> QueryList<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(QueryList<Child>(.all)).plan,
                isFragment: true, isSlice: true))
    }

    /// Loads the entities of a to-one relation.
    @inlinable
    public func with<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(Query<Child>(QueryList<Child>(.all))).list.plan,
                isFragment: false, isSlice: false))
    }

    /// Loads the entities of a to-one relation, to be appended when saved back.
    @inlinable
    public func with<Child, Direction, Rule>(
        slice path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(Query<Child>(QueryList<Child>(.all))).list.plan,
                isFragment: false, isSlice: true))
    }

    /// Loads the entities, marked as fragments of a to-one relation.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(Query<Child>(QueryList<Child>(.all))).list.plan,
                isFragment: true, isSlice: false))
    }

    /// Loads the entities, marked as fragments of a to-one relation, to be appended when saved back.
    @inlinable
    public func fragment<Child, Direction, Rule>(
        slice path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ nested: (Query<Child>) -> Query<Child> = { $0 }
    ) -> Self {
        loading(
            .entities(
                path, plan: nested(Query<Child>(QueryList<Child>(.all))).list.plan,
                isFragment: true, isSlice: true))
    }

    /// Loads only the ids of a relation.
    @inlinable
    public func id<Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>
    ) -> Self {
        loading(.ids(path, plan: RowPlan<Child>(), isSlice: false))
    }

    /// Loads only the ids of a relation, to be appended when saved back.
    @inlinable
    public func id<Child, Direction, Cardinality, Rule>(
        slice path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>
    ) -> Self {
        loading(.ids(path, plan: RowPlan<Child>(), isSlice: true))
    }

    @inlinable
    func loading(_ step: ShapeStep<Entity>) -> Self {
        var copy = self
        copy.plan.shape.append(step)
        return copy
    }
}
