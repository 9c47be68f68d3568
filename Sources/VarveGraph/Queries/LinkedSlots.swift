/// The slots that a query starts from where a relation, or another query, leads to them.
@usableFromInline
struct LinkedSlots: Sendable {
    /// Finds the slots themselves, or those of the parents whose links are followed.
    private let find: @Sendable (Context) -> ContiguousArray<UInt32>
    /// The relation that is followed; nil where `find` finds the slots themselves.
    private let relation: (parent: EntityDescriptor, index: Int)?

    @usableFromInline
    init(_ find: @escaping @Sendable (Context) -> ContiguousArray<UInt32>) {
        self.find = find
        relation = nil
    }

    /// - Parameters:
    ///   - relation: the position of the relation among those of its parent's type.
    ///   - find: finds the slots of the parents.
    @usableFromInline
    init(
        _ relation: Int, of parent: EntityDescriptor,
        _ find: @escaping @Sendable (Context) -> ContiguousArray<UInt32>
    ) {
        self.find = find
        self.relation = (parent, relation)
    }

    /// The slots, all of which have rows, parent after parent.
    @usableFromInline
    func slots(in context: Context) -> ContiguousArray<UInt32> {
        guard let relation else { return find(context) }
        guard let table = context.tables.position(of: relation.parent) else { return [] }
        let parents = find(context)
        if let only = parents.first, parents.count == 1 {
            return context.liveChildren(of: only, relation: relation.index, table: table)
        }
        var children = ContiguousArray<UInt32>()
        for parent in parents {
            children += context.liveChildren(of: parent, relation: relation.index, table: table)
        }
        return children
    }

    /// How many slots there are.
    ///
    /// - Complexity: O(p), p parents, where all entities that are linked to are there; else O(p + n), n links.
    @usableFromInline
    func count(in context: Context) -> Int {
        guard let relation else { return find(context).count }
        guard let table = context.tables.position(of: relation.parent) else { return 0 }
        return find(context).reduce(0) { count, parent in
            count + context.liveChildCount(of: parent, relation: relation.index, table: table)
        }
    }
}
