package import VarveEvents

/// Builds a state from the pages of a checkpoint, which come in the order of ``CheckpointDecoder/pages``.
///
/// It belongs to one thread, and changes one transaction: every page of the state is made once.
package struct StateLoader: ~Copyable {
    private let contents: CheckpointContents
    private let transaction: StateTransaction
    /// Of the ids of a type whose rows are not complete yet.
    private var hashes: [[UInt64]]
    /// By type and relation: lists come in ascending order of holders.
    private var nextHolders: [[Slot]]

    package init(_ decoder: CheckpointDecoder) {
        contents = decoder.contents
        transaction = StateTransaction(State())
        transaction.catalog = contents.catalog
        transaction.lastTransaction = contents.lastTransaction
        transaction.lastTime = contents.lastTime
        transaction.timeline = decoder.timeline
        transaction.tables = decoder.layouts.map { Table(layouts: $0) }
        hashes = contents.types.map { _ in [] }
        nextHolders = contents.types.map { $0.links.map { _ in Slot(0) } }
    }

    package mutating func add(_ page: DecodedPage) throws(CheckpointContentError) {
        switch page.content {
        case .rows(let rows): withExtendedLifetime(page.bytes) { add(rows, to: page.type) }
        case .links(let relation, let lists):
            do throws(CodecError) {
                try add(lists, of: relation, to: page.type)
            } catch {
                throw .malformed(page: page.page, error)
            }
        case .tombstoneLists(let lists): addKept(lists, to: page.type)
        }
    }

    /// The state, after all pages.
    package consuming func finish() -> State {
        // Behind the rows: a row whose ordinal is below the next one is not behind all others.
        for (index, type) in contents.types.enumerated() {
            transaction.tables[index].raiseNextOrdinal(to: Ordinal(type.nextOrdinal))
            transaction.tables[index].raiseLastNumber(to: type.lastNumber)
        }
        return transaction.publish()
    }

    private mutating func add(_ rows: [LoadedRow], to type: Int) {
        let count = contents.types[type].count
        if hashes[type].isEmpty { hashes[type].reserveCapacity(count) }
        for row in rows { hashes[type].append(row.hash) }
        rows.withUnsafeBufferPointer {
            transaction.tables[type].loadRows($0, in: transaction.transaction)
        }
        guard hashes[type].count == count else { return }
        transaction.tables[type].loadIDs(hashes[type], in: transaction.transaction)
        hashes[type] = []
    }

    private mutating func add(
        _ lists: LoadedLists, of relation: RelationNumber, to type: Int
    ) throws(CodecError) {
        guard let place = transaction.tables[type].layout.relation(relation) else {
            preconditionFailure("the contents of a checkpoint name relations that are defined")
        }
        let isToMany = transaction.tables[type].definition.relations[place.position].isToMany
        var next = nextHolders[type][place.position]
        for list in lists.lists {
            guard list.holder >= next, isToMany || list.targets.count == 1 else {
                throw .notAscending(offset: list.holder.index)
            }
            next = Slot(list.holder.rawValue + 1)
        }
        nextHolders[type][place.position] = next
        transaction.tables[type].loadLinks(place.position, lists, in: transaction.transaction)
    }

    /// Lists of one tombstone are neighbours, each of another relation.
    private mutating func addKept(_ lists: LoadedLists, to type: Int) {
        var next = 0
        while next < lists.lists.count {
            let holder = lists.lists[next].holder
            var kept = transaction.keptLists(of: holder, in: type)
            while next < lists.lists.count, lists.lists[next].holder == holder {
                let list = lists.lists[next]
                kept.append((list.relation, lists.slots(of: list)))
                next += 1
            }
            transaction.keepLists(kept, of: holder, in: type)
        }
    }
}
