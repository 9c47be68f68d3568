import CVarve
import Synchronization
import VarveEvents

/// Brings the blocks of an image into memory: each at first touch, once for all threads.
///
/// A block is read, its checksum compared, decompressed, and its pages are made of their columns in their place, and checked
/// before any of them is seen:
/// - kind and size of each page are set to those of its run, and what the page says of itself fits them;
/// - what it names is a frame of the image of the right kind, which no other page names.
///
/// Levels fall from page to page and each page has one parent, so what is loaded is a forest: no circle, and no
/// walk of it is longer than the image. Whatever else a forged page says is a wrong value, not a wrong access.
// Sendable unchecked: memory of a block is written by the thread that holds the block's lock before the block's
// state says that it is here, and belongs to the structures after that.
final class ImageLoader: PageLoader, @unchecked Sendable {
    private enum BlockState {
        static let unread: UInt8 = 0
        static let here: UInt8 = 1
        /// In the base of the generations, which has changed it.
        static let inBase: UInt8 = 2
        /// Not in memory, but read before: what it names was claimed then.
        static let evicted: UInt8 = 3

        static func isMissing(_ state: UInt8) -> Bool { state == unread || state == evicted }
    }

    let root: ImageRoot
    let source: any BlockSource
    private let pages: PageTable
    /// Nil where blocks are never evicted.
    let generations: PageGenerations?
    /// The generation before, which blocks are copied from; nil once this one has a successor.
    private let former: Mutex<ImageLoader?>
    private let chunks: ChunkMemory
    private let states: UnsafeMutablePointer<Atomic<UInt8>>
    /// Each lets one thread at a time read a block, and guards what is known of damage that lasts. Blocks share them: one
    /// for each block took as long to make as half of the rest.
    private let locks: UnsafeMutablePointer<Mutex<[(block: Int, damage: PageDamage)]>>
    /// Neighbours, which are read at once, have different ones.
    private static let lockCount = 64
    private let bytesHere = Atomic<Int>(0)
    /// Guarded by what evicts: the thread that changes the store.
    private var bytesNotEvicted = 0

    /// - Parameter former: the generation before. It copies no more blocks from its own predecessor.
    init(
        _ root: ImageRoot, from source: any BlockSource, into pages: PageTable,
        _ generations: PageGenerations? = nil, former: ImageLoader? = nil
    ) {
        self.root = root
        self.source = source
        self.pages = pages
        self.generations = generations
        former?.forgetFormer()
        self.former = Mutex(former)
        chunks = ChunkMemory(root.directory)
        let count = root.directory.blocks.count
        states = .allocate(capacity: count)
        for index in 0..<count { (states + index).initialize(to: Atomic(BlockState.unread)) }
        for block in generations?.changedBlocks ?? [] {
            states[block].store(BlockState.inBase, ordering: .relaxed)
        }
        locks = .allocate(capacity: Self.lockCount)
        for index in 0..<Self.lockCount { (locks + index).initialize(to: Mutex([])) }
    }

    deinit {
        states.deinitialize(count: directory.blocks.count).deallocate()
        locks.deinitialize(count: Self.lockCount).deallocate()
    }

    private var directory: BlockDirectory { root.directory }

    /// Releases the generation before this one: no more blocks are copied from it.
    private func forgetFormer() {
        let former = former.withLock { former in
            defer { former = nil }
            return former
        }
        withExtendedLifetime(former) {}
    }

    var loadedBytes: Int { bytesHere.load(ordering: .relaxed) }

    /// The memory of this generation's blocks, and of those of the generation before.
    var cachedBytes: Int { loadedBytes + (former.withLock { $0 }?.loadedBytes ?? 0) }

    var isFull: Bool { generations.map { loadedBytes > $0.limit.bytes / 2 } ?? false }

    func isUnread(_ number: PageNumber) -> Bool {
        guard let block = directory.blockPosition(of: number) else { return false }
        return BlockState.isMissing(states[block].load(ordering: .acquiring))
    }

    func frame(_ number: PageNumber) throws(PageDamage) -> Page {
        guard let chunk = directory.chunkPosition(number.chunk) else { throw .contradiction }
        // Without a block it is a page that was made behind the image, in a place that was free.
        let block = directory.blockPosition(of: number)
        let state = block.map { states[$0].load(ordering: .acquiring) } ?? BlockState.inBase
        if state == BlockState.inBase, let generations { return generations.basePage(number) }
        if BlockState.isMissing(state), let block { try load(block, ofChunk: chunk) }
        guard let memory = chunks.memory(chunk) else {
            throw .noMemory(PageDamage.Place(block: 0, offset: 0, byteCount: 0))
        }
        return Page(address: memory + number.offset)
    }

    func frame(_ number: PageNumber, through buffers: ScanBuffers) -> Page? {
        guard let block = directory.blockPosition(of: number),
            BlockState.isMissing(states[block].load(ordering: .acquiring))
        else { return nil }
        let entry = directory.blocks[block]
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
        guard let position = directory.frame(of: number)?.block,
            BlockState.isMissing(states[position].load(ordering: .acquiring))
        else { return nil }
        let entry = directory.blocks[position]
        let expectation = PageAnatomy.Expectation(kind: PageKind(.largeContent))
        guard entry.run.kind == PageKind(.rowLeaf) else { return nil }
        let isSound = block.read(
            entry, from: source, version: root.version, through: root.state.lastTransaction
        ) {
            place(of: $0, expectation) != nil
        }
        if !isSound { refused = entry.run }
        return isSound ? entry : nil
    }

    /// Reads a block without claiming the pages that it names. False if it is damaged: loading it finds and notes that too.
    private func readUnclaimed(_ entry: BlockEntry, into start: UnsafeMutableRawPointer) -> Bool {
        start.initializeMemory(as: UInt8.self, repeating: 0, count: entry.run.byteCount)
        do throws(PageDamage) {
            try entry.readFrames(from: source, into: start)
            try check(entry, start)
            try checkReferences(of: entry, start) { number, expectation in
                place(of: number, expectation) != nil
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Loading

    private func load(_ block: Int, ofChunk chunk: Int) throws(PageDamage) {
        let damage: PageDamage? = locks[block % Self.lockCount].withLock { known in
            // Acquiring, as outside of the lock: the thread sanitizer sees no order that the lock gives.
            if states[block].load(ordering: .acquiring) == BlockState.here { return nil }
            if let known = known.first(where: { $0.block == block }) { return known.damage }
            do throws(PageDamage) {
                try read(block, ofChunk: chunk)
            } catch {
                // Reading may succeed another time. Bytes that were read are what they are.
                if error.isLasting { known.append((block, error)) }
                return error
            }
            states[block].store(BlockState.here, ordering: .releasing)
            return nil
        }
        if let damage { throw damage }
    }

    private func read(_ block: Int, ofChunk chunk: Int) throws(PageDamage) {
        let entry = directory.blocks[block]
        guard let memory = chunks.memory(chunk) else { throw .noMemory(entry.place) }
        let run = entry.run
        let start = memory + run.first.offset
        let former = former.withLock { $0 }
        if former?.copy(block, ofChunk: chunk, to: start) != true {
            try entry.readFrames(from: source, into: start)
            try check(entry, start)
        }
        // Last, so that a damaged block claims as few pages as possible. An evicted block has claimed its own.
        let wasEvicted = states[block].load(ordering: .relaxed) == BlockState.evicted
        try checkReferences(of: entry, start) { number, expectation in
            wasEvicted
                ? place(of: number, expectation) != nil : claim(number, expectation)
        }
        bytesHere.wrappingAdd(run.byteCount, ordering: .relaxed)
        // The pages of a generation's base may be in a chunk of the image as well.
        if generations == nil, chunks.isComplete(with: chunk) {
            pages.setChunk(run.first.chunk, to: memory)
        }
    }

    // MARK: Evicting

    /// Evicts blocks where they take more than a limit, of a store that makes a state of a log. In a generation that readers
    /// use, nothing is evicted: the next one replaces it.
    ///
    /// Transactions change copies of pages, so the blocks are as they were read, but for those with frames that are used anew.
    /// Other threads read only the latter, and pages beside the image, through generations.
    ///
    /// - Parameter changed: the first pages of those.
    func evict(above byteCount: Int, except changed: Set<PageNumber>) -> Bool {
        guard generations == nil, loadedBytes - bytesNotEvicted > byteCount else { return false }
        for (block, entry) in directory.blocks.enumerated()
        where states[block].load(ordering: .relaxed) == BlockState.here
            && !changed.contains(entry.run.first)
        {
            guard let chunk = directory.chunkPosition(entry.run.first.chunk),
                let memory = chunks.memory(chunk)
            else { continue }
            pages.setChunk(entry.run.first.chunk, to: nil)
            chunks.evict(
                memory + entry.run.first.offset, byteCount: entry.run.byteCount, ofChunk: chunk)
            states[block].store(BlockState.evicted, ordering: .relaxed)
            bytesHere.wrappingSubtract(entry.run.byteCount, ordering: .relaxed)
        }
        bytesNotEvicted = loadedBytes
        return true
    }

    /// Copies a block, if it is loaded, into memory of the next generation.
    private func copy(
        _ block: Int, ofChunk chunk: Int, to start: UnsafeMutableRawPointer
    ) -> Bool {
        guard states[block].load(ordering: .acquiring) == BlockState.here,
            let memory = chunks.memory(chunk)
        else { return false }
        let run = directory.blocks[block].run
        start.copyMemory(from: memory + run.first.offset, byteCount: run.byteCount)
        return true
    }

    private func check(
        _ entry: BlockEntry, _ start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        let run = entry.run
        try entry.checkPages(start, through: root.version) { $0.setEmpty(run) }
        if run.kind == PageKind(.rowLeaf) { try checkStamps(of: entry, start) }
    }

    /// - Parameter admits: whether a page may name another one.
    private func checkReferences(
        of entry: BlockEntry, _ start: UnsafeMutableRawPointer,
        _ admits: (PageNumber, PageAnatomy.Expectation) -> Bool
    ) throws(PageDamage) {
        for index in 0..<entry.storedFrames {
            let page = Page(address: start + index * entry.run.frameBytes)
            if page.isFree { continue }
            var isSound = true
            PageAnatomy.forEachReference(of: page) { number, expectation in
                isSound = isSound && admits(number, expectation)
            }
            guard isSound else { throw entry.damaged("page \(index) names what it cannot") }
        }
    }

    private func checkStamps(
        of entry: BlockEntry, _ start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        for index in 0..<entry.storedFrames {
            let page = Page(address: start + index * entry.run.frameBytes)
            guard
                page.isFree || RowLeaf.hasSoundStamps(page, through: root.state.lastTransaction)
            else {
                throw entry.damaged(
                    "a row of page \(index) has an ordinal or a transaction that none can have")
            }
        }
    }

    /// Whether a number leads to a page of the image, of the right kind, that no page named before.
    func claim(_ number: PageNumber, _ expectation: PageAnatomy.Expectation) -> Bool {
        guard let chunk = place(of: number, expectation) else { return false }
        return chunks.mark(number.unit, ofChunk: chunk)
    }

    /// The position of the chunk of a page that is in the image, and of the right kind.
    private func place(of number: PageNumber, _ expectation: PageAnatomy.Expectation) -> Int? {
        guard let (block, _) = directory.frame(of: number),
            expectation.admits(directory.blocks[block].run)
        else { return nil }
        return directory.chunkPosition(number.chunk)
    }
}

extension PageDamage {
    /// Whether another attempt would come to the same.
    fileprivate var isLasting: Bool {
        switch self {
        case .unreadable, .cut, .noMemory: false
        case .checksum, .content, .contradiction: true
        }
    }
}

extension Page {
    /// Makes a free frame of one that holds no page: it reads as an empty page.
    fileprivate func setEmpty(_ run: PageRun) {
        setKind(run.kind, byteCount: run.frameBytes)
        count = 0
        clear()
        setFree(next: .none)
    }
}
