/// What came behind a transaction that is being reverted, looked up in the log where that decides.
///
/// Belongs to one thread. A failure to read is kept, and makes what was answered worthless.
package final class LaterTransactions {
    /// Lets a body look at transactions, beginning with `first`, until it returns false.
    package typealias Reading = (
        _ first: TransactionID, _ body: (TransactionView) throws -> Bool
    ) throws -> Void

    private let running: TransactionHeader
    private let floor: TransactionID
    private let catalog: Catalog
    private let reading: Reading
    private let readingBack: Reading
    private let subjects: Set<TransactionID>
    private let first: TransactionID
    /// Whether something came behind the transactions that does not cancel itself out.
    let hasOthers: Bool
    private var takenBack: Set<TransactionID> = []
    /// What was found for the lists that were last asked for together.
    private var found: (since: TransactionID, targets: [LinkScan.List: Set<[UInt8]>])?
    private lazy var stacks = readStacks()
    private lazy var withdrawnItems = readWithdrawnItems()
    package private(set) var failure: (any Error)?

    /// - Parameters:
    ///   - transactions: those that are reverted.
    ///   - running: the header of the transaction that does it.
    ///   - timeline: that of the state which they are reverted from.
    ///   - newest: the newest transaction of that state.
    ///   - floor: the oldest transaction that can be read.
    ///   - reading: reads transactions oldest first.
    ///   - readingBack: reads them newest first.
    package init(
        _ transactions: [TransactionID], running: TransactionHeader, timeline: Timeline,
        newest: TransactionID, floor: TransactionID, catalog: Catalog,
        reading: @escaping Reading, readingBack: @escaping Reading
    ) {
        self.running = running
        self.floor = floor
        self.catalog = catalog
        self.reading = reading
        self.readingBack = readingBack
        subjects = Set(transactions)
        first = subjects.min() ?? 0
        // What the scope of an undo wrote behind its step was undone.
        let newestOther = running.isMove ? timeline.newestOther(than: running.scope) : newest
        hasOthers = newestOther > first
    }

    // MARK: - Who wrote last

    func noteTakenBack(_ transaction: TransactionID) { takenBack.insert(transaction) }

    /// What became of a transaction's version of something that it wrote.
    func standing(of item: WrittenItem, by transaction: TransactionID) -> VersionStanding {
        guard hasOthers else { return .current }
        let standing = stacks.standing(of: item, by: transaction, without: takenBack)
        // Force may have withdrawn the version before: what it returned to is there already.
        if standing == .current, !item.isRow, isWithdrawn(item) { return .withdrawn }
        return standing
    }

    /// Whether the transactions wrote over what an older one had written that was withdrawn since.
    func isWithdrawn(_ item: WrittenItem) -> Bool {
        hasOthers && withdrawnItems.contains(item)
    }

    private func readStacks() -> VersionStacks {
        var stacks = VersionStacks(of: subjects, catalog, running: running)
        read(from: first) { view in
            try stacks.take(view)
            return true
        }
        return stacks
    }

    /// One pass through the log for all older steps together, however many were withdrawn.
    private func readWithdrawnItems() -> Set<WrittenItem> {
        let taken = stacks.taken
        guard !taken.isEmpty else { return [] }
        let steps = steps(of: stacks.withdrawn.filter { $0.key >= floor })
        guard let oldest = steps.keys.min() else { return [] }
        var earlier = VersionStacks(ofSteps: steps, items: taken, catalog)
        read(from: oldest) { view in
            guard view.id < first else { return false }
            try earlier.take(view)
            return true
        }
        return earlier.itemsOfSteps
    }

    /// The transactions of steps, each with the newest of its step.
    ///
    /// - Parameter newest: the newest transaction of each step, and whether the others are meant as well.
    private func steps(
        of newest: [TransactionID: Bool]
    ) -> [TransactionID: TransactionID] {
        var steps: [TransactionID: TransactionID] = [:]
        for transaction in newest.keys { steps[transaction] = transaction }
        var wanted = Set(newest.filter(\.value).keys)
        guard let first = wanted.max() else { return steps }
        // By scope: a step ends where its scope's stacks have something of another group below it.
        var open: [String?: (group: String, newest: TransactionID)] = [:]
        keepingFailure {
            try readingBack(first) { view in
                guard view.id >= floor else { return false }
                let header = view.header
                let isWanted = wanted.remove(view.id) != nil
                if header.isOnStack || isWanted {
                    if let step = open[header.scope], step.group == header.group {
                        steps[view.id] = step.newest
                    } else {
                        open[header.scope] = isWanted ? header.group.map { ($0, view.id) } : nil
                    }
                }
                return !wanted.isEmpty || !open.isEmpty
            }
        }
        return steps
    }

    // MARK: - Links and departures

    /// The encoded ids that were put into a list which were not in it before. The transaction itself
    /// is looked at as well: what it took out of the list, and its reverting has returned, was
    /// there before.
    func linked(since transaction: TransactionID, into list: LinkScan.List) -> Set<[UInt8]> {
        guard hasOthers else { return [] }
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
        keepingFailure { try reading(oldest, body) }
    }

    private func keepingFailure(_ read: () throws -> Void) {
        do {
            try read()
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
    /// The version of an entity that the transaction found, where it found a tombstone, or that the entity had gone.
    package func formerVersion(
        of entity: EncodedEntity
    ) throws(EventError) -> PreviousVersion? {
        guard let index = entities.firstIndex(where: { entity.isNamed($0) }) else { return nil }
        var events = events
        while let event = try events.next() {
            if case .former(let event) = event, Int(event.entity.rawValue) == index {
                return event.previous
            }
        }
        return nil
    }

    /// What a migration found that gave an entity its id: the entity of another type that went from the same place in
    /// the order.
    ///
    /// - Returns: nil where there is none.
    package func predecessor(
        of entity: EncodedEntity, in type: TypeNumber
    ) throws(EventError) -> (entity: EncodedEntity, version: PreviousVersion, row: [UInt8])? {
        guard let index = entities.firstIndex(where: { entity.isNamed($0) }),
            let ordinal = try newOrdinal(of: EntityIndex(UInt32(truncatingIfNeeded: index)))
        else { return nil }
        func found(
            _ index: EntityIndex, _ place: Ordinal, _ version: PreviousVersion?,
            _ row: UnsafeRawBufferPointer
        ) -> (entity: EncodedEntity, version: PreviousVersion, row: [UInt8])? {
            let former = entities[Int(index.rawValue)]
            guard former.type == type, place == ordinal, let version else { return nil }
            return (EncodedEntity(type: type, id: [UInt8](former.id)), version, [UInt8](row))
        }
        var events = events
        while let event = try events.next() {
            switch event {
            case .delete(let event):
                if let found = found(event.entity, event.ordinal, event.previous, event.row) {
                    return found
                }
            case .former(let event):
                guard let tombstone = event.tombstone else { continue }
                let place = tombstone.ordinal
                if let found = found(event.entity, place, event.previous, tombstone.row) {
                    return found
                }
            default: continue
            }
        }
        return nil
    }

    /// Where an entity is in the order of its type that the transaction has made, live or as a tombstone.
    private func newOrdinal(of entity: EntityIndex) throws(EventError) -> Ordinal? {
        var events = events
        while let event = try events.next() {
            switch event {
            case .insert(let event) where event.entity == entity: return event.ordinal
            case .delete(let event) where event.entity == entity: return event.ordinal
            default: continue
            }
        }
        return nil
    }

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
