// What a save has yet to do while it saves the entities that its entity holds. They may hold others in turn, as deep
// as the value goes, so that a save of one inside the save of the other would need a stack as deep.

/// A step that a running save has yet to do.
@usableFromInline
enum PendingSave: Sendable {
    case relation(PendingRelation)
    /// The last hooks of an entity, once its relations are saved.
    case end(any EntityModelProtocol, isNew: Bool)
}

/// A relation whose entities are saved one after the other, and which is linked then.
///
/// One context works on it, that of the save. A copy that a hook makes of the context only keeps it alive.
@usableFromInline
final class PendingRelation: @unchecked Sendable {
    @usableFromInline let content: LoadedContent
    /// Nil where nothing is to be linked.
    let parent: (slot: UInt32, relation: Int, table: Int)?
    /// Saves entities up to the first that holds others; see ``Context/saveEntities(of:_:)``.
    let save: @Sendable (PendingRelation, inout Context) throws -> Bool
    /// How many entities are saved.
    @usableFromInline var count = 0
    /// Where they are.
    @usableFromInline var slots: ContiguousArray<UInt32> = []

    @usableFromInline
    init(
        _ content: LoadedContent, linkedTo parent: (slot: UInt32, relation: Int, table: Int)?,
        save: @escaping @Sendable (PendingRelation, inout Context) throws -> Bool
    ) {
        self.content = content
        self.parent = parent
        self.save = save
    }

    @inlinable
    convenience init<Child>(
        _ content: RelationContent<Child>,
        linkedTo parent: (slot: UInt32, relation: Int, table: Int)?
    ) {
        self.init(content, linkedTo: parent) { try $1.saveEntities(of: $0, Child.self) }
    }
}

extension Context {
    /// Adds a relation to what the running save of an entity has yet to do.
    @usableFromInline
    mutating func deferSave(_ relation: PendingRelation) {
        session.isDeferring = true
        session.pending.append(.relation(relation))
    }

    /// Adds the end of an entity, which comes when the steps from `start` on are done.
    @usableFromInline
    mutating func deferEnd(
        of entity: any EntityModelProtocol, isNew: Bool, behind start: Int
    ) {
        session.pending.append(.end(entity, isNew: isNew))
        // The last one is the next to be done.
        session.pending[start...].reverse()
    }

    /// Does all steps from `start` on, the first of them first.
    @usableFromInline
    mutating func savePending(from start: Int) throws {
        session.pending[start...].reverse()
        while session.pending.count > start, let step = session.pending.last {
            switch step {
            case .end(let entity, let isNew):
                session.pending.removeLast()
                try entity.runHooks(behindSaveTo: &self, isNew: isNew)
            case .relation(let relation):
                guard try relation.save(relation, &self) else { continue }
                session.pending.removeLast()
                link(relation)
            }
        }
    }

    private mutating func link(_ relation: PendingRelation) {
        guard let parent = relation.parent else { return }
        let slots =
            relation.slots.count > 1 ? Context.distinct(relation.slots) : relation.slots
        if relation.content.isSlice {
            appendLinks(
                slots, to: parent.slot, relation: parent.relation, table: parent.table)
        } else {
            replaceLinks(
                with: slots, of: parent.slot, relation: parent.relation, table: parent.table)
        }
    }

    /// Saves the next entities of a relation, up to the first that holds others: those come before it ends, and before
    /// the next one.
    ///
    /// - Returns: whether all of them are saved, and nothing waits that they hold.
    @inlinable
    mutating func saveEntities<Child: EntityModelProtocol>(
        of relation: PendingRelation, _ type: Child.Type
    ) throws -> Bool {
        let content = unsafeDowncast(relation.content, to: RelationContent<Child>.self)
        guard case .entities(let entities, let isFragment) = content.state else {
            relation.slots = internSlots(Child.self, content.ids)
            try checkAreGiven(relation.slots, of: Child._descriptor)
            return true
        }
        let waiting = session.pending.count
        relation.count = try entities.withUnsafeBufferPointer { entities in
            try save(
                entities, from: relation.count, isFragment ? .fragment : .default, isNested: true
            ) { relation.slots.append($0.rawValue) }
        }
        return relation.count == entities.count && session.pending.count == waiting
    }
}
