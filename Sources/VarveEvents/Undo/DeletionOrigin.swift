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
    /// Whether a transaction that deleted first was found.
    private var isTold = false

    /// - Parameters:
    ///   - floor: the oldest transaction that can be read.
    ///   - reading: lets a body look at one transaction and returns what it returns.
    package init(
        of transaction: TransactionID, floor: TransactionID,
        reading: (
            _ transaction: TransactionID, _ body: (TransactionView) throws -> TransactionID?
        ) throws -> TransactionID?
    ) throws {
        var origin = transaction
        var first: TransactionHeader?
        while origin >= floor {
            let earlier = try reading(origin) { view in
                switch view.header.kind {
                case .undo(let other), .redo(let other): return other
                case .write, .schema, .purge:
                    try note(view)
                    first = view.header
                    return nil
                }
            }
            guard let earlier else { break }
            origin = earlier
        }
        guard origin != transaction else { return }
        if let first, first.group != nil { try noteStep(before: first, floor, reading) }
        isOneDeletion = !isTold
    }

    /// An undo names the newest transaction of a step alone: those of its group that came before it
    /// tell as well.
    private mutating func noteStep(
        before newest: TransactionHeader, _ floor: TransactionID,
        _ reading: (
            _ transaction: TransactionID, _ body: (TransactionView) throws -> TransactionID?
        ) throws -> TransactionID?
    ) throws {
        var number = newest.id.rawValue - 1
        var isEnd = false
        while !isEnd, number > 0, number >= floor.rawValue {
            _ = try reading(TransactionID(number)) { view in
                guard view.header.scope == newest.scope else { return nil }
                if view.header.group == newest.group {
                    try note(view)
                } else {
                    isEnd = view.header.isUndoable || view.header.kind != .write
                }
                return nil
            }
            number -= 1
        }
    }

    private mutating func note(_ view: TransactionView) throws {
        func entity(_ index: EntityIndex) -> Entity {
            let entity = view.entities[Int(index.rawValue)]
            return Entity(type: entity.type, id: [UInt8](entity.id))
        }
        var events = view.events
        while let event = try events.next() {
            guard case .delete(let deletion) = event else { continue }
            isTold = true
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
        var known = [root: true]
        var selection: Set<EntityIndex> = []
        var events = view.events
        while let event = try events.next() {
            guard case .delete(let deletion) = event, deletion.keepsTombstone else { continue }
            let found = view.entities[Int(deletion.entity.rawValue)]
            let candidate = Entity(type: found.type, id: [UInt8](found.id))
            if candidate == root || isWhole && (isOneDeletion || wentWithRoot(candidate, &known)) {
                selection.insert(deletion.entity)
            }
        }
        return selection
    }

    /// Whether causes lead from an entity to the root. Each entity is passed once for all that are asked about: chains
    /// are as long as the data is deep.
    ///
    /// - Parameter known: what was found out already.
    private func wentWithRoot(_ entity: Entity, _ known: inout [Entity: Bool]) -> Bool {
        var path: [Entity] = []
        var next: Entity? = entity
        var result = false
        while let entity = next {
            if let found = known[entity] {
                result = found
                break
            }
            // A circle leads nowhere.
            known[entity] = false
            path.append(entity)
            next = causes[entity]
        }
        if result { for entity in path { known[entity] = true } }
        return result
    }
}
