public import Foundation

extension EntityModelProtocol {
    /// When the entity was last saved, or nil where the context does not hold it.
    ///
    /// The save of a related entity is none of this one. In a store it is the time of the
    /// transaction; a deletion's is that of its ``Deleted``.
    public func updatedAt(in context: Context) -> Date? {
        context.microseconds(of: Self.self, id: id).map(Date.init(microseconds:))
    }

    /// When the entity, or, with `withNested`, any entity that this value has loaded was last saved.
    ///
    /// - Parameters:
    ///   - context: what knows the saves.
    ///   - withNested: whether loaded relations count, as deep as they are loaded; those that hold ids too.
    /// - Complexity: linear in what is loaded.
    public func updatedAt(in context: Context, withNested: Bool) -> Date? {
        let relations = withNested ? Array(Self._descriptor.relations.indices) : []
        return latest(in: context, ofRelationsAt: relations, includingSelf: true)
    }

    /// When the entity, or any that this value has loaded in one of the relations, was last saved.
    public func updatedAt(
        in context: Context, withNested relations: PartialKeyPath<Self>...
    ) -> Date? {
        latest(
            in: context, ofRelationsAt: relations.map(context.relationIndex), includingSelf: true)
    }

    /// When any of the entities that this value has loaded in a relation was last saved.
    public func updatedAt<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        in context: Context
    ) -> Date? {
        latest(
            in: context, ofRelationsAt: [context.relationIndex(relation)], includingSelf: false)
    }

    /// When the entity that this value has loaded in a relation was last saved.
    ///
    /// - Parameters:
    ///   - relation: the relation to one.
    ///   - context: what knows the saves.
    ///   - withNested: whether what that one has loaded counts too.
    public func updatedAt<Child: EntityModelProtocol>(
        _ relation: KeyPath<Self, Child?>, in context: Context, withNested: Bool
    ) -> Date? {
        self[keyPath: relation]?.updatedAt(in: context, withNested: withNested)
    }

    /// When any of the entities that this value has loaded in a relation was last saved.
    ///
    /// - Parameters:
    ///   - relation: the relation to many.
    ///   - context: what knows the saves.
    ///   - withNested: whether what these have loaded counts too.
    public func updatedAt<Child: EntityModelProtocol>(
        _ relation: KeyPath<Self, [Child]?>, in context: Context, withNested: Bool
    ) -> Date? {
        self[keyPath: relation]?.compactMap { $0.updatedAt(in: context, withNested: withNested) }
            .max()
    }

    private func latest(
        in context: Context, ofRelationsAt relations: [Int], includingSelf: Bool
    ) -> Date? {
        let contents = withUnsafePointer(to: self) { address in
            relations.compactMap { Self._descriptor.relations[$0].content(in: address) }
        }
        let own = includingSelf ? context.microseconds(of: Self.self, id: id) : nil
        let nested = contents.latest(in: context)
        return [own, nested].compactMap { $0 }.max().map(Date.init(microseconds:))
    }
}

extension Context {
    /// When an entity was last saved, in microseconds since 1970.
    func microseconds<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> Int64? {
        guard let table = rows(of: type), let slot = table.slot(of: id), table.isLive(slot) else {
            return nil
        }
        return table.metadata(of: slot).updatedAt
    }
}

extension Date {
    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}
