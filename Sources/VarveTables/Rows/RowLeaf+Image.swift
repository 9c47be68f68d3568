import VarveEvents

extension RowLeaf {
    /// Whether a leaf that was read can be used: counts and ends fit the page. Puts the ends of unused slots
    /// where the content ends.
    static func isSound(_ page: Page) -> Bool {
        let geometry = Geometry.standard
        guard page.byteCount >= geometry.body, page.count <= geometry.slotCount else {
            return false
        }
        let leaf = RowLeaf(page: page, geometry: geometry)
        var start = 0
        for index in 0..<page.count {
            guard leaf.isSound(index, from: start) else { return false }
            start = leaf.end(index)
        }
        leaf.fillUnused(end: start)
        return geometry.body + start <= page.byteCount
    }

    /// Whether each stamp of a leaf that was read can be one behind a transaction: what is saved next counts on from
    /// them.
    static func hasSoundStamps(_ page: Page, through last: TransactionID) -> Bool {
        let leaf = RowLeaf(page: page, geometry: .standard)
        return (0..<page.count).allSatisfy { index in
            let stamps = leaf.stamps(index)
            guard stamps.transaction <= last.rawValue,
                let presence = EntityPresence(rawValue: leaf.flags(index) & ~largeFlag)
            else { return false }
            return !presence.hasRow || (1..<Ordinal.limit).contains(stamps.ordinal)
        }
    }

    private func isSound(_ index: Int, from start: Int) -> Bool {
        let (end, flags) = (end(index), flags(index))
        guard end >= start, EntityPresence(rawValue: flags & ~Self.largeFlag) != nil else {
            return false
        }
        if flags & Self.largeFlag != 0 {
            return end - start == MemoryLayout<PageNumber>.size && idCount(index) == 0
        }
        return idCount(index) <= end - start
    }

    private func fillUnused(end: Int) {
        for index in page.count..<geometry.slotCount {
            page.store(UInt16(truncatingIfNeeded: end), at: geometry.ends + 2 * index)
            page.store(UInt16(0), at: geometry.idCounts + 2 * index)
            page.store(UInt8(0), at: geometry.flags + index)
        }
    }

    /// Whether a leaf may name pages of large content. In one that was not read from an image, flags of unused slots may say so.
    static func hasLargeContent(_ page: Page) -> Bool {
        let geometry = Geometry.standard
        // Of all slots, side by side.
        assert(geometry.slotCount == MemoryLayout<UInt64>.size)
        let flags: UInt64 = page.load(geometry.flags)
        return flags & (UInt64(largeFlag) &* 0x0101_0101_0101_0101) != 0
    }

    /// Calls `body` with each offset at which a leaf names the page of large content.
    static func forEachReference(_ page: Page, _ body: (Int) -> Void) {
        let leaf = RowLeaf(page: page, geometry: .standard)
        for index in 0..<page.count {
            if let offset = leaf.largePageOffset(index) { body(offset) }
        }
    }

    /// Fills what no slot uses with zeros.
    static func clearUnused(_ page: Page) {
        let leaf = RowLeaf(page: page, geometry: .standard)
        let geometry = leaf.geometry
        page.clear(from: geometry.body + leaf.bodyCount)
        for index in page.count..<geometry.slotCount {
            leaf.setMetadata(index, .vacant, flags: 0)
            leaf.setIDCount(index, 0)
            page.store(UInt16(0), at: geometry.ends + 2 * index)
        }
    }
}
