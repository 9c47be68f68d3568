// What a relation between entities of one type leads to in any number of steps: the answers to answers, or all that
// depends on a package.

extension Query {
    /// The entities that a relation leads to from this one in one step or more, each once, the nearest first.
    ///
    /// The entity itself is not among them, even where a cycle leads back to it. It need not exist: links may be
    /// there before it is. Where one on the way does not exist, it is not among them either, and the way ends.
    ///
    /// - Parameters:
    ///   - path: the relation, between entities of one type.
    ///   - maxSteps: how many steps are gone at most; with 0 nothing is found.
    /// - Precondition: `maxSteps` is not negative.
    /// - Complexity: O(n + m), n entities that are reached and m links that they have; none of them is read.
    @inlinable
    public func reachable<Direction, Cardinality, Rule>(
        along path: KeyPath<Entity, Relation<Entity, Direction, Cardinality, Rule>>,
        maxSteps: Int = .max
    ) -> QueryList<Entity> {
        QueryList(reachableFrom: path, maxSteps: maxSteps) { context in
            var starts = ContiguousArray<UInt32>()
            forEachParent(in: context) { starts.append($0) }
            return starts
        }
    }
}

extension QueryList {
    /// The entities that a relation leads to from these in one step or more, each once, the nearest first.
    ///
    /// None of those that the query starts from is among them, even where it is reached from another. Unlike with a
    /// query for one id, only entities that exist are started from.
    ///
    /// - Parameters:
    ///   - path: the relation, between entities of one type.
    ///   - maxSteps: how many steps are gone at most; with 0 nothing is found.
    /// - Precondition: `maxSteps` is not negative.
    /// - Complexity: O(n + m), n entities that are reached and m links that they have, behind what the query itself
    ///   takes.
    @inlinable
    public func reachable<Direction, Cardinality, Rule>(
        along path: KeyPath<Entity, Relation<Entity, Direction, Cardinality, Rule>>,
        maxSteps: Int = .max
    ) -> QueryList<Entity> {
        QueryList(reachableFrom: path, maxSteps: maxSteps) { slots(in: $0) }
    }

    @inlinable
    init(
        reachableFrom path: PartialKeyPath<Entity>, maxSteps: Int,
        _ starts: @escaping @Sendable (Context) -> ContiguousArray<UInt32>
    ) {
        precondition(maxSteps >= 0, "a negative number of steps")
        let relation = RelationPlace(path).index
        self.init(
            .related(
                LinkedSlots { context in
                    guard let table = context.tables.position(of: Entity._descriptor) else {
                        return []
                    }
                    return context.slots(
                        reachableFrom: starts(context), relation: relation, table: table,
                        maxSteps: maxSteps)
                }))
    }
}

extension Context {
    /// The slots that a relation of a table to itself leads to, level by level, but for the starts.
    @usableFromInline
    func slots(
        reachableFrom starts: ContiguousArray<UInt32>, relation: Int, table: Int, maxSteps: Int
    ) -> ContiguousArray<UInt32> {
        guard maxSteps > 0 else { return [] }
        let links = tables.tables[rows: table]
        var seen = SeenSlots(limit: links.slotCount)
        for slot in starts { seen.insert(slot) }
        var reached = ContiguousArray<UInt32>()
        var children = ContiguousArray<UInt32>()
        func go(from slot: UInt32) {
            children.removeAll(keepingCapacity: true)
            links.slotList(relation: relation, of: slot).append(to: &children)
            // A link may be there before its entity is.
            for child in children where seen.insert(child) && links.isLive(Slot(child)) {
                reached.append(child)
            }
        }
        for slot in starts { go(from: slot) }
        var level = reached.indices
        var steps = 1
        while !level.isEmpty, steps < maxSteps {
            for position in level { go(from: reached[position]) }
            level = level.upperBound..<reached.count
            steps += 1
        }
        return reached
    }
}

/// Slots that were met: while they are few, what they take does not grow with the table.
private struct SeenSlots {
    private let limit: Int
    private var few: Set<UInt32> = []
    private var many: SlotSet?

    init(limit: Int) { self.limit = limit }

    /// Adds a slot, and returns whether it is new.
    @discardableResult
    mutating func insert(_ slot: UInt32) -> Bool {
        if let isNew = many?.insert(Int(slot)) { return isNew }
        guard few.insert(slot).inserted else { return false }
        // A set of bits is as long as the table, whatever it holds.
        if few.count > limit / 256 {
            many = SlotSet(ContiguousArray(few), limit: limit)
            few = []
        }
        return true
    }
}
