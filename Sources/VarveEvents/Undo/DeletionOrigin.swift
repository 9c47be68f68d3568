/// Says what was deleted along with what.
///
/// A deletion that was undone and redone is told by the redo as events without a cause, so the
/// transaction that deleted first is asked.
package struct DeletionOrigin {
    /// An entity by its type and encoded id.
    private struct Entity: Hashable {
        let type: TypeNumber
        let id: [UInt8]
    }

    /// What each entity was deleted with.
    private var causes: [Entity: Entity] = [:]
    /// Whether everything that the transaction deleted went together: it repeats another, which does
    /// not say either.
    private var isOneDeletion = false

    /// - Parameters:
    ///   - floor: the oldest transaction that can be read.
    ///   - reading: lets a body look at one transaction and answers what it answers.
    package init(
        of transaction: TransactionID, floor: TransactionID,
        reading: (
            _ transaction: TransactionID, _ body: (TransactionView) throws -> TransactionID?
        ) throws -> TransactionID?
    ) throws {
        var origin = transaction
        while origin >= floor {
            let earlier = try reading(origin) { view in
                switch view.header.kind {
                case .undo(let other), .redo(let other): return other
                case .write, .schema, .purge:
                    try note(view)
                    return nil
                }
            }
            guard let earlier else { break }
            origin = earlier
        }
        isOneDeletion = origin != transaction && causes.isEmpty
    }

    private mutating func note(_ view: TransactionView) throws {
        func entity(_ index: EntityIndex) -> Entity {
            let entity = view.entities[Int(index.rawValue)]
            return Entity(type: entity.type, id: [UInt8](entity.id))
        }
        var events = view.events
        while let event = try events.next() {
            guard case .delete(let deletion) = event else { continue }
            switch deletion.cause {
            case .direct: break
            case .cascade(let cause), .upsert(let cause):
                causes[entity(deletion.entity)] = entity(cause)
            }
        }
    }

    /// The entities of a transaction that are to return: one, or all that went with it.
    package func selection(
        of entity: (type: TypeNumber, id: [UInt8]), isWhole: Bool, in view: TransactionView
    ) throws -> Set<EntityIndex> {
        let root = Entity(type: entity.type, id: entity.id)
        var selection: Set<EntityIndex> = []
        var events = view.events
        while let event = try events.next() {
            guard case .delete(let deletion) = event, deletion.keepsTombstone else { continue }
            let found = view.entities[Int(deletion.entity.rawValue)]
            let candidate = Entity(type: found.type, id: [UInt8](found.id))
            if candidate == root || isWhole && (isOneDeletion || leads(candidate, to: root)) {
                selection.insert(deletion.entity)
            }
        }
        return selection
    }

    private func leads(_ entity: Entity, to root: Entity) -> Bool {
        var next = entity
        var seen: Set<Entity> = []
        while let cause = causes[next], seen.insert(next).inserted {
            if cause == root { return true }
            next = cause
        }
        return false
    }
}
