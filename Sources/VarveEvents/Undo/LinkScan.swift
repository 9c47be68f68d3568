/// Collects what transactions, taken in their order, have put into one list that was not in it before.
/// What was there, went, and came back, as an undo brings it, was there before.
///
/// An undo or a redo takes the step on top of its scope's stack: what that scope has written behind
/// it was undone, so those transactions cancel each other and are passed over. What they name would not
/// tell what was there before, once links were broken off and mended in several ways.
package struct LinkScan {
    private let type: TypeNumber
    private let holder: [UInt8]
    private let relation: RelationNumber
    /// The undo or redo that asks; nil for what takes back any transaction.
    private let mover: TransactionHeader?
    /// The encoded ids of what was put in.
    package private(set) var targets: Set<[UInt8]> = []
    /// What the transactions name: the first time tells whether it was there.
    private var known: Set<[UInt8]> = []

    /// - Parameter running: the header of the transaction that takes something back.
    package init(
        of type: TypeNumber, holder: [UInt8], relation: RelationNumber,
        running: TransactionHeader?
    ) {
        mover = running.flatMap { $0.isMove ? $0 : nil }
        self.type = type
        self.holder = holder
        self.relation = relation
    }

    package mutating func take(_ view: TransactionView) throws(EventError) {
        if let mover, view.header.scope == mover.scope, view.header.isOnStack { return }
        guard view.entities.contains(where: { isHolder($0) }) else { return }
        var events = view.events
        while let event = try events.next() {
            guard case .link(let link) = event, link.relation == relation,
                isHolder(view.entities[Int(link.parent.rawValue)])
            else { continue }
            for removal in link.removals {
                known.insert([UInt8](view.entities[Int(removal.entity.rawValue)].id))
            }
            for insertion in link.insertions {
                let target = [UInt8](view.entities[Int(insertion.entity.rawValue)].id)
                if known.insert(target).inserted { targets.insert(target) }
            }
        }
    }

    private func isHolder(_ entity: TransactionView.Entity) -> Bool {
        entity.type == type && entity.id.elementsEqual(holder)
    }
}

extension TransactionHeader {
    /// Whether this moves along its scope's stacks, rather than being a step itself.
    fileprivate var isMove: Bool {
        switch kind {
        case .undo: !isUndoable
        case .redo: true
        case .write, .schema, .purge: false
        }
    }

    /// Whether this is a step or moves along the steps; see ``Timeline/note(_:)``.
    fileprivate var isOnStack: Bool { isMove || isUndoable }
}
