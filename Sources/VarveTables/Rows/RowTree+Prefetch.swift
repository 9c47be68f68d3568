import CVarve
package import VarveEvents

extension RowTree {
    /// Slots that are read in one batch.
    package static let batchCount = 32

    /// Calls `body` with the entries of some slots, in their order, until it returns false. Returns
    /// whether it never did.
    ///
    /// Rows in no order lie far from each other, and each waits twice for memory: for its leaf's
    /// header, and for its content. Both are prefetched for the whole batch.
    package func forEach(
        _ slots: UnsafeBufferPointer<Slot>, in pages: PageTable,
        while body: (StoredRow) throws(CodecError) -> Bool
    ) throws(CodecError) -> Bool {
        for slot in slots { varve_prefetch(entry(slot, in: pages).header) }
        for slot in slots { entry(slot, in: pages).prefetchContent() }
        for slot in slots where try !body(entry(slot, in: pages)) { return false }
        return true
    }

    /// Prefetches where the leaf of a slot says what its slots hold.
    func prefetchLeaf(of slot: Slot, in pages: PageTable) {
        varve_prefetch(entry(slot, in: pages).header)
    }
}

extension StoredRow {
    private static let lineBytes = 64
    /// Of longer content the rest follows fast, as it is read in order.
    private static let lineCountMax = 4

    /// Prefetches where the id begins, as content begins with it.
    func prefetchID() {
        guard let start = inlineContent.baseAddress else { return }
        varve_prefetch(start)
    }

    fileprivate func prefetchContent() {
        let content = inlineContent
        guard let start = content.baseAddress else { return }
        let end = min(content.count, Self.lineBytes * Self.lineCountMax)
        for offset in stride(from: 0, to: end, by: Self.lineBytes) {
            varve_prefetch(start + offset)
        }
        if end > 0 { varve_prefetch(start + (end - 1)) }
    }
}
