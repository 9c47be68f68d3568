import CVarve
import Synchronization

/// Leads from page numbers to frames. A copy is a view of the same table.
///
///     chunks    -   *   *   *  ...          frame of (chunk, unit): chunks[chunk] + 64 * unit
///                   |   |   |
///              [frames][frames][frames]
///
/// It has an entry for each chunk, not for each page, so it stays in the processor's first cache
/// whatever page is looked up. An entry is set before any number in its chunk is given out, and is
/// changed only while none of them is in use: readers look others up meanwhile.
///
/// The lowest bit of an entry says that the whole chunk is here. Where it is not set, ``ColdPages``
/// finds the page, which may read a block of an image first: one branch, which is predicted.
package struct PageTable: BitwiseCopyable, @unchecked Sendable {
    // Sendable unchecked: entries are atomic, and spans are set before numbers in them are given out.

    /// Entry 0 names the cold pages: no chunk has that number.
    private let chunks: UnsafeMutablePointer<Atomic<UInt>>

    private static let byteCount = 2 * PageNumber.chunkLimit * MemoryLayout<UInt>.size
    private static let isHere: UInt = 1

    static func allocate() -> PageTable {
        // Chunk numbers are given out in order: the rest stays untouched, and takes no memory, until then.
        guard let memory = varve_map_memory(byteCount) else {
            preconditionFailure("There are no addresses left for a table of pages")
        }
        return PageTable(chunks: memory.assumingMemoryBound(to: Atomic<UInt>.self))
    }

    func deallocate() { varve_unmap_memory(chunks, Self.byteCount) }

    /// The page with a number that is in use. Where an image has none under it, or cannot be read, a page of zeros.
    @inline(__always)
    subscript(number: PageNumber) -> Page {
        let page = frame(number)
        assert(!page.isFree || cold != nil, "page \(number) is not in use")
        return page
    }

    /// The frame with a number that was given out before, in use or free.
    @inline(__always)
    func frame(_ number: PageNumber) -> Page {
        let entry = (chunks + number.chunk).pointee.load(ordering: .acquiring)
        if entry & Self.isHere == 0 { return coldFrame(number) }
        let address = UnsafeMutableRawPointer(bitPattern: entry &- Self.isHere)
        return Page(address: address.unsafelyUnwrapped + number.offset)
    }

    @inline(never)
    private func coldFrame(_ number: PageNumber) -> Page {
        let entry = chunks.pointee.load(ordering: .acquiring)
        guard let cold = UnsafeRawPointer(bitPattern: entry) else {
            preconditionFailure("page \(number) is not in use")
        }
        // Not counted: under a memory limit most reads come this way. The store keeps it for as long as it is read.
        return Unmanaged<ColdPages>.fromOpaque(cold)._withUnsafeGuaranteedRef { $0.frame(number) }
    }

    /// Whether the page with a number is not in memory: it is one of the image, and as the image has it.
    func isUnread(_ number: PageNumber) -> Bool {
        chunk(number.chunk) == nil && cold?.loader.isUnread(number) == true
    }

    /// Whether a number is in the place of an image's block. Any thread may ask.
    func isInBlock(_ number: PageNumber) -> Bool { cold?.loader.isInBlock(number) == true }

    /// The page with a number that is in use. If it is not in memory, it is read into `buffers`, and valid until
    /// its buffer is reused; see ``ScanBuffers/replacesNext(usedAfter:)``.
    func page(_ number: PageNumber, through buffers: ScanBuffers) -> Page {
        guard chunk(number.chunk) == nil,
            let page = cold?.loader.frame(number, through: buffers)
        else { return self[number] }
        return page
    }

    // MARK: Chunks

    /// A chunk and its memory.
    // Sendable unchecked: frames are changed by the rules of the store whose they are.
    struct Chunk: @unchecked Sendable {
        let number: Int
        let memory: UnsafeMutableRawPointer
    }

    /// The memory of a chunk that is wholly here.
    func chunk(_ number: Int) -> UnsafeMutableRawPointer? {
        let entry = (chunks + number).pointee.load(ordering: .acquiring)
        return entry & Self.isHere == 0 ? nil : UnsafeMutableRawPointer(bitPattern: entry & ~1)
    }

    func setChunk(_ number: Int, to memory: UnsafeMutableRawPointer?) {
        let entry = memory.map { UInt(bitPattern: $0) | Self.isHere } ?? 0
        (chunks + number).pointee.store(entry, ordering: .releasing)
    }

    // MARK: Spans

    /// What the span of a number belongs to. Of any number.
    func span(of number: PageNumber) -> PageSpan {
        let position = number.unit >> PageSpan.unitBits
        if let spans = spans(ofChunk: number.chunk), position < spans.count,
            spans[position] != .none
        {
            return spans[position]
        }
        return cold?.loader.span(of: number) ?? .none
    }

    /// All of a chunk; nil where there is none. Those of an image's blocks are not set.
    func spans(ofChunk number: Int) -> UnsafeMutableBufferPointer<PageSpan>? {
        let entry = (spanEntries + number).pointee.load(ordering: .acquiring)
        guard let memory = UnsafeMutableRawPointer(bitPattern: entry) else { return nil }
        // The first word is their number.
        let count = Int(memory.load(as: UInt64.self))
        let start = (memory + 8).assumingMemoryBound(to: PageSpan.self)
        return UnsafeMutableBufferPointer(start: start, count: count)
    }

    /// Nil where there is no such chunk, in memory or in an image.
    func spanCount(ofChunk number: Int) -> Int? {
        spans(ofChunk: number)?.count ?? cold?.loader.spanCount(ofChunk: number)
    }

    func addSpans(_ count: Int, ofChunk number: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 + 8 * count, alignment: 8)
        memory.initializeMemory(as: UInt64.self, repeating: 0, count: count + 1)
        memory.storeBytes(of: UInt64(count), as: UInt64.self)
        (spanEntries + number).pointee.store(UInt(bitPattern: memory), ordering: .releasing)
    }

    func removeSpans(ofChunk number: Int) {
        let entry = (spanEntries + number).pointee.exchange(0, ordering: .acquiringAndReleasing)
        UnsafeMutableRawPointer(bitPattern: entry)?.deallocate()
    }

    func setSpans(of run: PageRun) {
        guard let spans = spans(ofChunk: run.first.chunk) else { return }
        let (start, first) = (run.firstSpan, run.span(0))
        for position in 0..<run.spanCount { spans[start + position] = first.moved(to: position) }
    }

    private var spanEntries: UnsafeMutablePointer<Atomic<UInt>> { chunks + PageNumber.chunkLimit }

    // MARK: Cold pages

    /// Finds the pages of chunks that are not wholly here; nil in a store that began empty.
    var cold: ColdPages? {
        let entry = chunks.pointee.load(ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: entry).map {
            Unmanaged<ColdPages>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The caller keeps it for as long as the table is used.
    func setCold(_ cold: ColdPages) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(cold).toOpaque())
        chunks.pointee.store(address, ordering: .releasing)
    }

    /// Notes that pages contradict each other, as only those of an image can.
    func noteContradiction() {
        guard let cold else { preconditionFailure("pages contradict each other") }
        cold.health.note(.contradiction)
    }
}
