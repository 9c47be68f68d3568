/// Leads from page numbers to frames. A copy is a view of the same table.
///
///     chunks    -   *   *   *  ...          frame of (chunk, unit): chunks[chunk] + 64 * unit
///                   |   |   |
///              [frames][frames][frames]
///
/// It has an entry for each chunk, not for each page, so it stays in the processor's first cache
/// whatever page is looked up. An entry is set before any number in its chunk is given out, and is
/// changed only while none of them is in use: readers look others up meanwhile.
package struct PageTable: BitwiseCopyable {
    private let chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    static func allocate() -> PageTable {
        // Chunk numbers are given out in order: the rest stays untouched, and takes no memory, until then.
        let chunks = UnsafeMutablePointer<UnsafeMutableRawPointer?>
            .allocate(capacity: PageNumber.chunkLimit)
        chunks.initialize(to: nil)
        return PageTable(chunks: chunks)
    }

    func deallocate() { chunks.deallocate() }

    /// The page with a number that is in use.
    @inline(__always)
    subscript(number: PageNumber) -> Page {
        guard let page = frame(number) else { preconditionFailure("page \(number) is not in use") }
        assert(!page.isFree, "page \(number) is not in use")
        return page
    }

    /// The frame with a number that was given out before, in use or free; nil where its chunk is gone.
    @inline(__always)
    func frame(_ number: PageNumber) -> Page? {
        chunks[number.chunk].map { Page(address: $0 + number.offset) }
    }

    /// The memory of a chunk whose number was given out before.
    func chunk(_ number: Int) -> UnsafeMutableRawPointer? { chunks[number] }

    func setChunk(_ number: Int, to memory: UnsafeMutableRawPointer?) {
        (chunks + number).initialize(to: memory)
    }
}
