/// A query whose entities are put in groups by a property.
///
/// Groups come in the order in which the query meets their keys; within a group entities keep the
/// query's order. Both are the same in every run.
public struct GroupedQuery<Entity: EntityModelProtocol, Key: Hashable & Sendable>: Sendable {
    @usableFromInline let list: QueryList<Entity>
    @usableFromInline let path: SendableReadPath<Entity, Key>

    @inlinable
    init(_ list: QueryList<Entity>, _ path: KeyPath<Entity, Key>) {
        self.list = list
        self.path = SendableReadPath(path)
    }

    /// Each key once, at its first place: the distinct values of the property.
    @inlinable
    public func keys(in context: Context) -> [Key] { groups(in: context).map(\.key) }

    /// How many entities each group has. Copies none.
    @inlinable
    public func counts(in context: Context) -> [(key: Key, count: Int)] {
        var places: [Key: Int] = [:]
        var counts: [(key: Key, count: Int)] = []
        let read = PropertyReader(path.raw)
        list.rows(in: context)?.forEach { _, row in
            let key = read(row)
            if let place = places[key] {
                counts[place].count += 1
            } else {
                places[key] = counts.count
                counts.append((key, 1))
            }
        }
        if Entity._isPresented(Key.self) {
            for place in counts.indices { counts[place].key = Entity._presented(counts[place].key) }
        }
        return counts
    }

    /// The entities of each group, with what the query loads of their relations.
    @inlinable
    public func resolve(in context: Context) -> [(key: Key, entities: [Entity])] {
        let groups = groups(in: context)
        let entities = list.plan.materialize(groups: groups.map(\.slots), in: context)
        return zip(groups, entities).map { ($0.key, $1) }
    }

    /// The groups as lists by their keys.
    @inlinable
    public func dictionary(in context: Context) -> [Key: [Entity]] {
        Dictionary(uniqueKeysWithValues: resolve(in: context).map { ($0.key, $0.entities) })
    }

    /// An aggregate of each group: what `body` returns for the query of its entities.
    ///
    /// ```swift
    /// Order.query().grouped(by: \.customer).map(in: context) { try $0.sum(\.total, in: context) }
    /// ```
    @inlinable
    public func map<Value, Failure: Error>(
        in context: Context, _ body: (QueryList<Entity>) throws(Failure) -> Value
    ) throws(Failure) -> [(key: Key, value: Value)] {
        var values: [(key: Key, value: Value)] = []
        for group in groups(in: context) {
            let slots = group.slots
            var plan = RowPlan<Entity>()
            plan.shape = list.plan.shape
            let value = try body(QueryList(.related(LinkedSlots { _ in slots }), plan: plan))
            values.append((group.key, value))
        }
        return values
    }

    @inlinable
    func groups(in context: Context) -> [(key: Key, slots: ContiguousArray<UInt32>)] {
        var places: [Key: Int] = [:]
        var groups: [(key: Key, slots: ContiguousArray<UInt32>)] = []
        let read = PropertyReader(path.raw)
        list.rows(in: context)?.forEach { slot, row in
            let key = read(row)
            if let place = places[key] {
                groups[place].slots.append(slot)
            } else {
                places[key] = groups.count
                groups.append((key, [slot]))
            }
        }
        if Entity._isPresented(Key.self) {
            for place in groups.indices { groups[place].key = Entity._presented(groups[place].key) }
        }
        return groups
    }
}

extension QueryList {
    /// Puts the entities in groups by a property: `.grouped(by: \.city)`.
    @inlinable
    public func grouped<Key: Hashable & Sendable>(
        by path: KeyPath<Entity, Key>
    ) -> GroupedQuery<Entity, Key> { GroupedQuery(self, path) }
}
