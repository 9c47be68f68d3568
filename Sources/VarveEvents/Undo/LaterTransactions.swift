/// What came behind a transaction that is being taken back, looked up in the log where that decides.
///
/// Belongs to one thread. A failure to read is kept, and makes what was answered worthless.
package final class LaterTransactions {
    /// Lets a body look at transactions from one on, oldest first, until it answers false.
    package typealias Reading = (
        _ oldest: TransactionID, _ body: (TransactionView) throws -> Bool
    ) throws -> Void

    private let running: TransactionHeader?
    private let reading: Reading
    /// What was found for the lists that were last asked for together.
    private var found: (since: TransactionID, targets: [LinkScan.List: Set<[UInt8]>])?
    package private(set) var failure: (any Error)?

    /// - Parameter running: the header of the transaction that takes something back.
    package init(running: TransactionHeader?, reading: @escaping Reading) {
        self.running = running
        self.reading = reading
    }

    /// The encoded ids that were put into a list which were not in it before. The transaction itself
    /// is looked at as well: what it took out of the list, and its taking back has returned, was
    /// there before.
    func linked(since transaction: TransactionID, into list: LinkScan.List) -> Set<[UInt8]> {
        if found?.since != transaction || found?.targets[list] == nil {
            find([list], since: transaction)
        }
        return found?.targets[list] ?? []
    }

    /// Reads once for many lists that are about to be asked for.
    func find(_ lists: Set<LinkScan.List>, since transaction: TransactionID) {
        var scan = LinkScan(of: lists, running: running)
        read(from: transaction) { view in
            try scan.take(view)
            return true
        }
        found = (transaction, scan.targets)
    }

    /// Whether an entity, which has gone by now, had gone already behind a transaction: an undo
    /// may have brought its tombstone back since.
    func hadGone(_ entity: EncodedEntity, behind transaction: TransactionID) -> Bool {
        var hadGone = false
        read(from: TransactionID(transaction.rawValue + 1)) { view in
            let index = view.entities.firstIndex { entity.isNamed($0) }
            guard let index else { return true }
            let found = try view.rowEvents(of: EntityIndex(UInt32(truncatingIfNeeded: index)))
            hadGone = found.saysFormer
            return !found.any
        }
        return hadGone
    }

    private func read(from oldest: TransactionID, _ body: (TransactionView) throws -> Bool) {
        do {
            try reading(oldest, body)
        } catch {
            failure = failure ?? error
        }
    }
}

/// An entity as the log names it.
package struct EncodedEntity: Hashable, Sendable {
    package let type: TypeNumber
    package let id: [UInt8]

    package init(type: TypeNumber, id: [UInt8]) {
        self.type = type
        self.id = id
    }

    func isNamed(_ entity: TransactionView.Entity) -> Bool {
        entity.type == type && entity.id.elementsEqual(id)
    }
}

extension TransactionView {
    /// Whether the transaction did anything to an entity's row or tombstone, and whether it says that
    /// there was no row before.
    fileprivate func rowEvents(
        of entity: EntityIndex
    ) throws(EventError) -> (any: Bool, saysFormer: Bool) {
        var found = (any: false, saysFormer: false)
        var events = events
        while let event = try events.next() {
            switch event {
            case .former(let event):
                if event.entity == entity { found.saysFormer = true }
            case .withdraw(let event):
                if event.entity == entity { found.any = true }
            default: if event.changesRow(of: entity) { found.any = true }
            }
        }
        return found
    }
}
