extension KeyPage {
    /// Whether a page that was read can be used: its cells lie within its heap, and the heap is theirs.
    static func isSound(_ page: Page) -> Bool {
        let capacity = page.byteCount
        guard capacity >= Geometry.capacityMin, capacity <= Geometry.capacityMax else {
            return false
        }
        let keys = KeyPage(page: page, isNode: page.kind.level > 0)
        let directoryEnd = cells + cellBytes * keys.count
        let start = keys.heapStart
        guard keys.count > 0, directoryEnd <= start else { return false }
        var used = keys.freed
        for index in 0..<keys.count {
            let size = keys.keyCount(index) + keys.childBytes
            guard keys.keyCount(index) <= Geometry.keyBytesMax(ofPage: capacity) else {
                return false
            }
            guard size == 0 || keys.offset(index) >= start, keys.offset(index) + size <= capacity
            else { return false }
            used += size
        }
        return used == capacity - start
    }

    /// Calls `body` with each offset at which a node names a page.
    static func forEachReference(_ page: Page, _ body: (Int) -> Void) {
        guard page.kind.level > 0 else { return }
        let keys = KeyPage(page: page, isNode: true)
        for index in 0..<keys.count { body(keys.childOffset(index)) }
    }

    /// Puts the cells together and fills the rest with zeros: nothing of a removed key stays.
    static func clearUnused(_ page: Page) {
        let keys = KeyPage(page: page, isNode: page.kind.level > 0)
        keys.compact()
        let directoryEnd = cells + cellBytes * keys.count
        (page.address + directoryEnd).initializeMemory(
            as: UInt8.self, repeating: 0, count: keys.heapStart - directoryEnd)
    }
}
