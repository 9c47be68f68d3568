/// What copies rows and fills their relations, without the rows' type.
@usableFromInline
class ShapeLoader {
    /// What becomes of entities that are loaded.
    @usableFromInline
    enum Keeping {
        /// Handed on. What is expected of them is expected of what their relations hold.
        case propagating
        /// Handed on; too little is inside to be made ready.
        case plain
        /// Kept for whatever else leads to them.
        case kept
    }

    @usableFromInline let fills: [ShapeFill]
    @usableFromInline let keeping: Keeping
    private var expected: ContiguousArray<UInt32> = []
    private var isExpected: Set<UInt32> = []

    @inlinable
    init(_ fills: [ShapeFill], _ keeping: Keeping) {
        self.fills = fills
        self.keeping = keeping
    }

    /// Notes which rows will be loaded.
    final func expect(_ slots: ContiguousArray<UInt32>) {
        switch keeping {
        case .plain: break
        case .propagating:
            for slot in slots { expectRelated(to: slot) }
        case .kept:
            // What is kept has everything inside that it leads to.
            for slot in slots where !keeps(slot) && isExpected.insert(slot).inserted {
                expected.append(slot)
            }
        }
    }

    /// Has what the relations of all expected rows lead to expected in turn.
    final func expectNext() {
        for slot in expected { expectRelated(to: slot) }
    }

    private func expectRelated(to slot: UInt32) {
        for fill in fills { fill.rows.expect(childrenOf: slot) }
    }

    final func takeExpected() -> ContiguousArray<UInt32> {
        defer {
            expected = []
            isExpected = []
        }
        return expected
    }

    /// Whether the entity of a row is kept.
    func keeps(_ slot: UInt32) -> Bool { false }

    /// Loads what is expected, to keep it.
    func loadExpected() {}

    /// Forgets what nothing has led to for a while, if much is kept.
    func forget() {}
}

/// Entities that a loader keeps, in two generations.
///
/// When the newer one is full, the older one is forgotten, and what was asked for meanwhile is not among it: a query
/// that passes over many rows holds so much of what they lead to, and loads again only what it did not meet for long.
struct KeptRows<Entity: EntityModelProtocol> {
    private struct Generation {
        var entities: ContiguousArray<Entity> = []
        var positions: [UInt32: Int] = [:]

        subscript(slot: UInt32) -> Entity? { positions[slot].map { entities[$0] } }
    }

    private var newer = Generation()
    private var older = Generation()

    func contains(_ slot: UInt32) -> Bool {
        newer.positions[slot] != nil || older.positions[slot] != nil
    }

    /// The entity of a row, which is of the newer generation from now on.
    mutating func find(_ slot: UInt32) -> Entity? {
        if let entity = newer[slot] { return entity }
        guard let entity = older[slot] else { return nil }
        keep(entity, at: slot)
        return entity
    }

    mutating func keep(_ entity: Entity, at slot: UInt32) {
        newer.positions[slot] = newer.entities.count
        newer.entities.append(entity)
    }

    /// Forgets the older generation if the newer one has more than `limit` entities, and begins another one.
    mutating func forget(over limit: Int) {
        guard newer.entities.count > limit else { return }
        older = newer
        newer = Generation()
    }
}

/// The loaders of one resolution of a query: of a depth list one for each type and level, whatever ways lead there.
///
/// A relation and its inverse lead to each other, so the ways double with each level, while there are only so many
/// entities. Each of them is loaded once for a level, the last level first where there are many: one inside the other,
/// they would need a stack as deep as the list.
@usableFromInline
final class NestedLoaders {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let nested: [Nested]
    }

    /// From so many levels on, entities are kept: with less inside, loading one again costs as much as finding it.
    private static var keptDepth: Int { 3 }
    /// More levels are not loaded one inside the other.
    private static var recursionLimit: Int { 8 }
    /// How many entities a loader keeps from one group of a query's rows to the next before it forgets older ones.
    static var keptLimit: Int { 1 << 14 }

    private var loaders: [Key: ShapeLoader] = [:]
    /// By the number of levels inside.
    private var levels: [ContiguousArray<ShapeLoader>] = []
    private let depth: Int

    /// - Parameter depth: how many levels are loaded inside one another at most.
    @usableFromInline
    init(depth: Int) { self.depth = depth }

    /// The loader of a type's rows for a shape that is a depth list.
    @usableFromInline
    func loader<Entity: EntityModelProtocol>(
        of table: Table<Entity>, _ nested: [Nested], _ shape: Shape<Entity>, in context: Context
    ) -> RowLoader<Entity> {
        let key = Key(type: ObjectIdentifier(Entity.self), nested: nested)
        if let known = loaders[key] { return unsafeDowncast(known, to: RowLoader<Entity>.self) }
        let loader = RowLoader(
            table, fills: shape.fills(in: context, self),
            keeping: nested.count >= NestedLoaders.keptDepth ? .kept : .plain)
        loaders[key] = loader
        while levels.count <= nested.count { levels.append([]) }
        levels[nested.count].append(loader)
        return loader
    }

    /// Has what the rows' relations lead to ready where they go deep, level by level.
    @usableFromInline
    func prepare(_ loader: ShapeLoader, _ slots: ContiguousArray<UInt32>) {
        for level in levels { for loader in level { loader.forget() } }
        guard depth > NestedLoaders.recursionLimit else { return }
        loader.expect(slots)
        // Each level leads to lower ones, whose loaders are made on the way.
        for level in stride(from: levels.count - 1, through: NestedLoaders.keptDepth, by: -1) {
            for loader in levels[level] { loader.expectNext() }
        }
        for level in levels { for loader in level { loader.loadExpected() } }
    }

    /// Releases the loaders, which lead to one another, from the first level to the last.
    @usableFromInline
    func end() {
        loaders = [:]
        for level in levels.indices.reversed() { levels[level] = [] }
    }
}
