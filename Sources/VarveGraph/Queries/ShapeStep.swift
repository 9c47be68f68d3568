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
    /// The children that a value's ids show: those with rows and those that are still to come, but
    /// none that was deleted. A tombstone is there or it is not.
    @usableFromInline
    func linkedChildren(of slot: UInt32, relation: Int, table: Int) -> ContiguousArray<UInt32> {
        let child = tables.tables[tables.tables[table].relations[relation].childTable]
        var slots = links(of: slot, relation: relation, table: table).slots
        let isOfTombstones = child.descriptor.tombstoneOwner != nil
        slots.removeAll {
            !child.isLive(Slot($0))
                && (isOfTombstones || child.metadata(of: Slot($0)).isFormer)
        }
        return slots
    }
}
