// What a relation between entities of one type leads to in any number of steps: the answers to answers, or all that
// depends on a package.

extension Query {
    /// The entities that a relation leads to from this one in one step or more, each once, the nearest first.
    ///
    /// The entity itself is not among them, even where a cycle leads back to it. It need not exist: links may be
    /// there before it is.
    ///
    /// - Parameter limit: how many steps are gone at most.
    /// - Complexity: O(n + m), n entities that are reached and m links that they have; none of them is read.
    @inlinable
    public func reachable<Direction, Cardinality, Rule>(
        along path: KeyPath<Entity, Relation<Entity, Direction, Cardinality, Rule>>,
        within limit: Int = .max
    ) -> QueryList<Entity> {
        guard case .ids(let ids) = list.source, list.plan.steps.isEmpty else {
            return list.reachable(along: path, within: limit)
        }
        return QueryList(reachableFrom: path, within: limit) { context in
            ContiguousArray(
                ids.compactMap { context.knownSlot(of: Entity.self, id: $0)?.rawValue })
        }
    }
}

extension QueryList {
    /// The entities that a relation leads to from these in one step or more, each once, the nearest first.
    ///
    /// None of those that the query starts from is among them, even where it is reached from another.
    ///
    /// - Parameter limit: how many steps are gone at most.
    /// - Complexity: O(n + m), n entities that are reached and m links that they have, behind what the query itself
    ///   takes.
    @inlinable
    public func reachable<Direction, Cardinality, Rule>(
        along path: KeyPath<Entity, Relation<Entity, Direction, Cardinality, Rule>>,
        within limit: Int = .max
    ) -> QueryList<Entity> {
        QueryList(reachableFrom: path, within: limit) { slots(in: $0) }
    }

    @inlinable
    init(
        reachableFrom path: PartialKeyPath<Entity>, within limit: Int,
        _ starts: @escaping @Sendable (Context) -> ContiguousArray<UInt32>
    ) {
        precondition(limit >= 0, "a negative number of steps")
        let relation = RelationPlace(path).index
        self.init(
            .related { context in
                guard let table = context.tables.position(of: Entity._descriptor) else { return [] }
                return context.slots(
                    reachableFrom: starts(context), relation: relation, table: table, within: limit)
            })
    }
}

extension Context {
    /// The slots that a relation of a table to itself leads to, level by level, but for the starts.
    @usableFromInline
    func slots(
        reachableFrom starts: ContiguousArray<UInt32>, relation: Int, table: Int, within limit: Int
    ) -> ContiguousArray<UInt32> {
        guard limit > 0 else { return [] }
        let links = tables.tables[table]
        var seen = SlotSet(starts, limit: links.slotCount)
        var reached = ContiguousArray<UInt32>()
        var children = ContiguousArray<UInt32>()
        func go(from slot: UInt32) {
            children.removeAll(keepingCapacity: true)
            links.slotList(relation: relation, of: slot).append(to: &children)
            // A link may be there before its entity is.
            for child in children where seen.insert(Int(child)) && links.isLive(Slot(child)) {
                reached.append(child)
            }
        }
        for slot in starts { go(from: slot) }
        var level = reached.indices
        var steps = 1
        while !level.isEmpty, steps < limit {
            for position in level { go(from: reached[position]) }
            level = level.upperBound..<reached.count
            steps += 1
        }
        return reached
    }
}
