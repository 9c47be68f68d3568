/// What a transaction has inserted and linked, apart from the context that it did so in: for whoever logs it while the
/// next transaction changes that.
///
/// Its tables have ids, rows and journals alone, and share their pages.
package struct Insertions: Sendable {
    package let tables: TableList
    /// What the lists have become that the journals of links name, by table and entry. Taken out of the links, whose
    /// pages would all be copied by whoever changes them next.
    package let lists: ContiguousArray<ContiguousArray<LinkList>>
}

extension Context {
    /// What the running transaction has done so far, if it has inserted and linked and no more; nil else, because what
    /// other changes replace is in more places than are taken along. O(changes).
    package func insertions() -> Insertions? {
        // Of one that waits and was changed more is needed.
        let isInserting = tables.tables.unfilled.allSatisfy {
            $0.isFilled ? $0.hasInsertionsAlone(of: session.transaction) : !$0.hasJournal
        }
        guard isInserting else { return nil }
        return Insertions(
            tables: TableList(
                ContiguousArray(
                    tables.tables.unfilled.map {
                        $0.isFilled ? $0.descriptor.operations.rowsAlone($0) : $0
                    }),
                positions: tables.positions),
            lists: ContiguousArray(
                tables.tables.unfilled.map { table in
                    ContiguousArray(
                        table.linkJournal.map { table.linkList(relation: $0.relation, of: $0.slot) }
                    )
                }))
    }

    /// How much the running transaction has changed so far.
    package var changeCount: Int { session.journal.count }
}

extension AnyTable {
    /// Whether the journal of rows tells of nothing but entities that came where nothing ever was, and of what became
    /// of them in the same transaction, as long as they are there.
    fileprivate func hasInsertionsAlone(of transaction: UInt64) -> Bool {
        guard deleteCauses.isEmpty else { return false }
        guard !rowJournal.isEmpty else { return true }
        return descriptor.tombstoneOwner == nil
            && rowJournal.allSatisfy { change in
                change.before < 0
                    ? !change.metadata.isFormer
                    : change.metadata.transaction == transaction && isLive(Slot(change.slot))
            }
    }
}
