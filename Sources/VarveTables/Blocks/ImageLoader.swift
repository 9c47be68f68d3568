import Synchronization
import VarveEvents

/// Brings pages of an image into memory, from the blocks of a ``BlockCache``: for a store that transactions change, or for a
/// generation of its pages that is only read.
///
/// It takes a block when one of its pages is read first, and has it from then on: reading it again needs no lock. A store's
/// loader drops all of them where they take too much, when no transaction of its thread reads them; that of a
/// generation drops them when the generation ends.
// Sendable unchecked: marks and counts are atomic.
final class ImageLoader: PageLoader, @unchecked Sendable {
    let cache: BlockCache
    private let pages: PageTable
    /// Nil in the loader of a store.
    let generations: PageGenerations?
    private let taken: UnsafeMutablePointer<Atomic<Bool>>
    private let bytesTaken = Atomic<Int>(0)
    /// Of each chunk's blocks, those that were not taken. Empty where blocks do not lie in the memory of chunks.
    private let missing: UnsafeMutableBufferPointer<Atomic<Int>>

    init(of cache: BlockCache, into pages: PageTable) {
        self.cache = cache
        self.pages = pages
        generations = nil
        taken = Self.marks(cache.root.directory)
        let chunks = cache.blocksAreInChunks ? cache.root.directory.chunks : []
        let counts = chunks.map(\.totals.blockCount)
        missing = .allocate(capacity: counts.count)
        for (position, count) in counts.enumerated() {
            missing.initializeElement(at: position, to: Atomic(count))
        }
    }

    init(of generations: PageGenerations, into pages: PageTable) {
        cache = generations.cache
        self.pages = pages
        self.generations = generations
        taken = Self.marks(cache.root.directory)
        missing = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    private static func marks(_ directory: BlockDirectory) -> UnsafeMutablePointer<Atomic<Bool>> {
        let count = directory.totals.blockCount
        let marks = UnsafeMutablePointer<Atomic<Bool>>.allocate(capacity: count)
        for index in 0..<count { (marks + index).initialize(to: Atomic(false)) }
        return marks
    }

    deinit {
        dropAll()
        taken.deinitialize(count: directory.totals.blockCount).deallocate()
        missing.deinitialize().deallocate()
    }

    var root: ImageRoot { cache.root }
    var source: any BlockSource { cache.source }
    private var directory: BlockDirectory { cache.root.directory }

    /// The memory of blocks that this loader has taken.
    var loadedBytes: Int { bytesTaken.load(ordering: .relaxed) }

    var cachedPages: CachedPages {
        CachedPages(cache: ObjectIdentifier(cache), byteCount: cache.loadedBytes)
    }

    var isFull: Bool { generations.map { loadedBytes > $0.limit.bytes / 2 } ?? false }

    // MARK: Reading

    private func isMissing(_ block: Int) -> Bool { !taken[block].load(ordering: .acquiring) }

    func isUnread(_ number: PageNumber) -> Bool {
        guard let chunk = directory.chunkPosition(number.chunk) else { return false }
        // Pages are made beside blocks only where it is known where these are.
        guard directory.isRead(chunk) else { return true }
        return directory.readableBlock(of: number, inChunk: chunk).map(isMissing) ?? false
    }

    func isInBlock(_ number: PageNumber) -> Bool {
        guard let chunk = directory.chunkPosition(number.chunk) else { return false }
        do throws(PageDamage) {
            return try directory.block(of: number, inChunk: chunk) != nil
        } catch {
            // No page is made beside blocks of a chunk that cannot be read.
            return true
        }
    }

    func span(of number: PageNumber) -> PageSpan {
        guard let chunk = directory.chunkPosition(number.chunk) else { return .none }
        return directory.readableSpan(of: number, inChunk: chunk)
    }

    func spanCount(ofChunk number: Int) -> Int? { directory.spanCount(ofChunk: number) }

    func freeSpans(ofChunk number: Int) -> [Range<Int>] {
        guard let chunk = directory.chunkPosition(number) else { return [] }
        do throws(PageDamage) {
            return try directory.blocks(ofChunk: chunk).freeSpans
        } catch {
            // They are not used then. What reads a page of the chunk finds and notes the damage.
            return []
        }
    }

    func frame(_ number: PageNumber) throws(PageDamage) -> Page {
        guard let chunk = directory.chunkPosition(number.chunk) else { throw .contradiction }
        let chunkStart: UnsafeMutableRawPointer?
        if let block = try directory.block(of: number, inChunk: chunk) {
            if isMissing(block) { try take(block, ofChunk: chunk) }
            chunkStart = cache.chunkStart(of: block, at: chunk)
        } else if let generations {
            // It was made behind the image, in a place that was free.
            return generations.base.pages.frame(number)
        } else {
            chunkStart = cache.memory(ofChunk: chunk)
        }
        guard let chunkStart else { throw .noMemory(directory.place(ofChunk: chunk)) }
        return Page(address: chunkStart + number.offset)
    }

    private func take(_ block: Int, ofChunk chunk: Int) throws(PageDamage) {
        guard try cache.take(block, ofChunk: chunk, taken[block]) else { return }
        let run = directory.entry(block, inChunk: chunk).run
        bytesTaken.wrappingAdd(cache.memory(of: run), ordering: .relaxed)
        guard cache.blocksAreInChunks else { return }
        let left = missing[chunk].wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { pages.setChunk(run.first.chunk, to: cache.memory(ofChunk: chunk)) }
    }

    func frame(_ number: PageNumber, through buffers: ScanBuffers) -> Page? {
        guard let chunk = directory.chunkPosition(number.chunk),
            let block = directory.readableBlock(of: number, inChunk: chunk), isMissing(block)
        else { return nil }
        let entry = directory.entry(block, inChunk: chunk)
        let start =
            buffers.memory(of: block)
            ?? buffers.memory(of: block, byteCount: entry.run.byteCount) {
                readUnclaimed(entry, into: $0)
            }
        return start.map { Page(address: $0 + number.offset - entry.run.first.offset) }
    }

    /// Reads the block of a leaf of rows, which is not in memory, without making pages. Nil where it is to be loaded.
    ///
    /// The pages that it names are not claimed, because nothing of it is kept: that a row of another block names one of
    /// them too is found by what loads both.
    ///
    /// - Parameter refused: the block that was refused last. It is not read again for each of its leaves.
    func readRows(
        at number: PageNumber, into block: RowBlock, refused: inout PageRun?
    ) -> BlockEntry? {
        if let refused, refused.holds(number) { return nil }
        guard let found = directory.readableFrame(of: number), isMissing(found.block) else {
            return nil
        }
        let entry = found.entry
        let expectation = PageAnatomy.Expectation(kind: PageKind(.largeContent))
        guard entry.run.kind == PageKind(.rowLeaf) else { return nil }
        let isSound = block.read(
            entry, from: source, version: root.version, through: root.state.lastTransaction
        ) {
            directory.has($0, expectation)
        }
        if !isSound { refused = entry.run }
        return isSound ? entry : nil
    }

    /// Reads a block without claiming the pages that it names. False if it is damaged: loading it finds and notes that too.
    private func readUnclaimed(_ entry: BlockEntry, into start: UnsafeMutableRawPointer) -> Bool {
        start.initializeMemory(as: UInt8.self, repeating: 0, count: entry.run.byteCount)
        do throws(PageDamage) {
            try root.readBlock(entry, from: source, into: start)
            try root.checkReferences(of: entry, start) { number, expectation in
                directory.has(number, expectation)
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Dropping

    /// Drops all blocks where they take more than a limit, of a store that makes a state of a log with limited memory. The
    /// cache evicts those that no generation has, as far as all take more than they may.
    ///
    /// Transactions change copies of pages, so the blocks are as they were read. Other threads read them, and pages beside the
    /// image, through generations.
    func evict(above byteCount: Int) -> Bool {
        guard generations == nil, !cache.blocksAreInChunks, loadedBytes > byteCount else {
            return false
        }
        dropAll()
        cache.evictIdle()
        return true
    }

    private func dropAll() {
        directory.forEachKnownBlock { block, entry in
            if isMissing(block) { return }
            taken[block].store(false, ordering: .relaxed)
            bytesTaken.wrappingSubtract(cache.memory(of: entry.run), ordering: .relaxed)
            cache.drop(block, entry.run)
        }
    }
}
