/// What a query does with the rows that its source names: steps in order, then the shape.
@usableFromInline
struct RowPlan<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline
    enum Step: Sendable {
        case filter(QueryPredicate<Entity>)
        case sort(RowComparator<Entity>)
        case limit(Int, offset: Int)
        case last
        case distinct
        case union(QueryList<Entity>)
        case intersection(QueryList<Entity>)
    }

    @usableFromInline var steps: [Step] = []
    /// Fills relations of a copied row. Kept apart from the steps, so that no later filter or
    /// sort can lose it.
    @usableFromInline var shape: [ShapeStep<Entity>] = []

    @inlinable
    init() {}

    /// Passes slots, all of which have rows, through the steps.
    @inlinable
    func apply(
        to slots: ContiguousArray<UInt32>, in context: Context, from first: Int = 0
    ) -> ContiguousArray<UInt32> {
        guard first < steps.count, let table = context.table(of: Entity.self) else { return slots }
        var slots = slots
        for step in steps[first...] {
            switch step {
            case .filter(let predicate):
                slots.removeAll { slot in
                    guard let row = table.row(at: Slot(slot)) else { return true }
                    return !predicate.matches(row)
                }
            case .sort(let comparator): slots = comparator.sorted(slots, in: table)
            case .limit(let limit, let offset): slots = RowPlan.page(slots, limit, offset)
            case .last: slots = ContiguousArray(slots.suffix(1))
            case .distinct: slots = Context.distinct(slots)
            case .union(let other):
                slots = Context.distinct(slots + other.slots(in: context))
            case .intersection(let other):
                let kept = Set(other.slots(in: context))
                slots.removeAll { !kept.contains($0) }
            }
        }
        return slots
    }

    @usableFromInline
    static func page(
        _ slots: ContiguousArray<UInt32>, _ limit: Int, _ offset: Int
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, offset >= 0 else { return [] }
        return ContiguousArray(slots.dropFirst(offset).prefix(limit))
    }

    /// Scans the table: leading filters are tested while rows are passed, and a limit right
    /// behind them ends the scan.
    @inlinable
    func scan(_ context: Context) -> ContiguousArray<UInt32> {
        guard let table = context.table(of: Entity.self) else { return [] }
        var predicates: [QueryPredicate<Entity>] = []
        for case .filter(let predicate) in steps.prefix(while: \.isFilter) {
            predicates.append(predicate)
        }
        var next = predicates.count
        var wanted = Int.max
        var skipped = 0
        if next < steps.count, case .limit(let limit, let offset) = steps[next] {
            guard limit > 0, offset >= 0 else { return [] }
            next += 1
            skipped = offset
            wanted = limit
        }
        var slots = ContiguousArray<UInt32>()
        if predicates.isEmpty && wanted == .max { slots.reserveCapacity(table.liveCount) }
        table.forEachRow { slot, row in
            for predicate in predicates where !predicate.matches(row) { return true }
            if skipped > 0 {
                skipped -= 1
                return true
            }
            slots.append(slot.rawValue)
            return slots.count < wanted
        }
        return apply(to: slots, in: context, from: next)
    }

    /// Copies rows out and fills what the shape asks for.
    @inlinable
    func materialize(_ slots: ContiguousArray<UInt32>, in context: Context) -> [Entity] {
        guard let table = context.table(of: Entity.self) else { return [] }
        var entities: [Entity] = []
        entities.reserveCapacity(slots.count)
        for slot in slots {
            guard let row = table.row(at: Slot(slot)) else { continue }
            var entity = row.pointee
            for step in shape { step.fill(&entity, Slot(slot), context) }
            entities.append(entity)
        }
        return entities
    }
}

extension RowPlan.Step {
    @usableFromInline var isFilter: Bool {
        if case .filter = self { return true }
        return false
    }
}

/// Fills one relation of a row that was copied out.
@usableFromInline
struct ShapeStep<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let fill: @Sendable (inout Entity, Slot, Context) -> Void

    @inlinable
    init(fill: @escaping @Sendable (inout Entity, Slot, Context) -> Void) { self.fill = fill }

    /// Loads related entities through a plan of their own.
    @inlinable
    static func entities<Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>,
        plan: RowPlan<Child>, isFragment: Bool, isSlice: Bool
    ) -> ShapeStep {
        typealias Value = Relation<Child, Direction, Cardinality, Rule>
        let index = relationIndex(path)
        let offset = Entity._descriptor.relations[index].offset
        return ShapeStep { entity, slot, context in
            guard let position = context.tables.position(of: Entity._descriptor) else { return }
            let children = context.liveChildren(
                of: slot.rawValue, relation: index, table: position)
            let loaded = plan.materialize(
                plan.apply(to: children, in: context), in: context)
            guard Cardinality.isToMany || !loaded.isEmpty else { return }
            let value = Value(entities: loaded, isFragment: isFragment, isSlice: isSlice)
            set(value, in: &entity, at: offset)
        }
    }

    /// Loads ids only, of entities that are there and of those that are still to come.
    @inlinable
    static func ids<Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>,
        plan: RowPlan<Child>, isSlice: Bool
    ) -> ShapeStep {
        typealias Value = Relation<Child, Direction, Cardinality, Rule>
        let index = relationIndex(path)
        let offset = Entity._descriptor.relations[index].offset
        return ShapeStep { entity, slot, context in
            guard let position = context.tables.position(of: Entity._descriptor),
                let table = context.table(of: Child.self)
            else { return }
            let children =
                plan.steps.isEmpty
                ? context.linkedChildren(of: slot.rawValue, relation: index, table: position)
                : plan.apply(
                    to: context.liveChildren(
                        of: slot.rawValue, relation: index, table: position), in: context)
            guard Cardinality.isToMany || !children.isEmpty else { return }
            let value = Value(ids: children.map { table.id(of: Slot($0)) }, isSlice: isSlice)
            set(value, in: &entity, at: offset)
        }
    }

    @inlinable
    static func set<Value>(_ value: Value, in entity: inout Entity, at offset: Int) {
        withUnsafeMutablePointer(to: &entity) { address in
            (UnsafeMutableRawPointer(address) + offset)
                .assumingMemoryBound(to: Value.self).pointee = value
        }
    }

    @inlinable
    static func relationIndex(_ path: PartialKeyPath<Entity>) -> Int {
        guard let index = Entity._descriptor.relationIndex(at: path) else {
            preconditionFailure("\(path) is no @Relationship of \(Entity.self)")
        }
        return index
    }
}

extension Context {
    /// The children that a value's ids show: those with rows and those that may still come, but
    /// none of which a tombstone says that it is deleted.
    @usableFromInline
    func linkedChildren(of slot: UInt32, relation: Int, table: Int) -> ContiguousArray<UInt32> {
        let child = tables.tables[tables.tables[table].relations[relation].childTable]
        var slots = links(of: slot, relation: relation, table: table).slots
        slots.removeAll {
            !child.isLive(Slot($0))
                && child.metadata(of: Slot($0)).ordinal != RowMetadata.noOrdinal
        }
        return slots
    }
}

/// Compares rows by one or more properties.
@usableFromInline
struct RowComparator<Entity: EntityModelProtocol>: Sendable {
    /// Less than, equal to or greater than zero, as the first row comes before, with or behind.
    @usableFromInline
    typealias Comparison = @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Int

    @usableFromInline var comparisons: [Comparison] = []

    @inlinable
    init() {}

    @inlinable
    mutating func add<Value: Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        let read = PropertyReader(path)
        comparisons.append { first, second in
            let first = read(first)
            let second = read(second)
            return first < second ? -1 : (second < first ? 1 : 0)
        }
    }

    /// Equal rows stay in the order they came in.
    @inlinable
    func sorted(
        _ slots: ContiguousArray<UInt32>, in table: Table<Entity>
    ) -> ContiguousArray<UInt32> {
        var rows = ContiguousArray<(row: UnsafePointer<Entity>, position: Int)>()
        rows.reserveCapacity(slots.count)
        for (position, slot) in slots.enumerated() {
            guard let row = table.row(at: Slot(slot)) else { continue }
            rows.append((row, position))
        }
        rows.sort { first, second in
            for comparison in comparisons {
                let order = comparison(first.row, second.row)
                if order != 0 { return order < 0 }
            }
            return first.position < second.position
        }
        return withExtendedLifetime(table) {
            ContiguousArray(rows.map { slots[$0.position] })
        }
    }
}
