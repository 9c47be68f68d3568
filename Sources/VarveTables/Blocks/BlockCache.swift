import CVarve
import Synchronization
import VarveEvents

/// The blocks of an image that are in memory, once for all who read the opened image.
///
/// Each ``ImageLoader`` takes the blocks that it reads, and drops them all at once. A block that no loader has is idle: it stays
/// in memory until others need that. Then a hand that walks over all blocks evicts the next idle one that none has taken since
/// the hand was there.
///
///     blocks        [ ][2][0][ ][1][0][ ][1]      in memory, with how many loaders have it
///     hand                     ^                  evicts the idle one behind it
///
/// A loader knows the blocks that it has by marks of its own. So reading them takes no lock, and pins and counts nothing.
///
/// A block is read, its checksum compared, decompressed, and its pages are made of their columns in its memory, and checked
/// before any of them is seen:
/// - kind and size of each page are set to those of its run, and what the page says of itself fits them;
/// - what it names is a frame of the image of the right kind, which no other page names.
///
/// Levels fall from page to page and each page has one parent, so what is loaded is a forest: no circle, and no
/// walk of it is longer than the image. Whatever else a forged page says is a wrong value, not a wrong access.
// Sendable unchecked: what is known of a block changes under the block's lock, and so does its memory, which is written while no
// loader has the block.
final class BlockCache: @unchecked Sendable {
    /// What generations may take, and how many lines of generations there are.
    private struct Admission {
        var limit: PageMemoryLimit?
        var count = 0
    }

    let root: ImageRoot
    let source: any BlockSource
    private let chunks: ChunkMemory
    /// Nil where each block lies at its offset in the memory of its chunk.
    let buffers: BlockBuffers?
    /// By block: the address at which its chunk would begin if the block lay at its offset there; 0 while the block is not in
    /// memory. Nil where blocks lie in the memory of their chunks.
    private let chunkStarts: UnsafeMutablePointer<Atomic<UInt>>?
    private let uses: UnsafeMutablePointer<Atomic<UInt32>>
    /// Each guards what is known of its blocks, and of damage that lasts. Blocks share them: one for each block took as long
    /// to make as half of the rest.
    private let locks: UnsafeMutablePointer<Mutex<[(block: Int, damage: PageDamage)]>>
    /// Neighbours, which are read at once, have different ones.
    private static let lockCount = 64
    private let bytesHere = Atomic<Int>(0)
    private let bytesIdle = Atomic<Int>(0)
    /// What is left of idle blocks where there are no generations. Nil where none is evicted.
    private let bytesMax: Int?
    private let admission = Mutex(Admission())
    /// The block that the hand looks at next, modulo their number.
    private let hand = Atomic<Int>(0)
    /// Bounds for what a read waits for: blocks that are evicted, and looked at.
    private static let (evictionsMax, looksMax) = (8, 1_024)

    /// - Parameter bytesMax: idle blocks go where all take more than this, or than generations may where that is more. Nil if
    ///   none is evicted: blocks lie in the memory of their chunks then, where reading a page takes less. Where memory has no limit,
    ///   transactions write new pages into places that became free there.
    init(_ root: ImageRoot, from source: any BlockSource, bytesMax: Int?) {
        self.root = root
        self.source = source
        self.bytesMax = bytesMax
        chunks = ChunkMemory(root.directory)
        let count = root.directory.totals.blockCount
        uses = Self.zeros(count)
        buffers = bytesMax.map { BlockBuffers(bytesMax: $0) }
        chunkStarts = buffers == nil ? nil : Self.zeros(count)
        locks = .allocate(capacity: Self.lockCount)
        for index in 0..<Self.lockCount { (locks + index).initialize(to: Mutex([])) }
    }

    deinit {
        let count = directory.totals.blockCount
        varve_unmap_memory(uses, Self.byteCount(of: UInt32.self, count))
        if let chunkStarts { varve_unmap_memory(chunkStarts, Self.byteCount(of: UInt.self, count)) }
        locks.deinitialize(count: Self.lockCount).deallocate()
    }

    /// Zeros that the system clears when they are touched first: an opening reads few blocks.
    private static func zeros<Value: AtomicRepresentable>(
        _ count: Int
    ) -> UnsafeMutablePointer<Atomic<Value>> {
        guard let memory = varve_map_memory(byteCount(of: Value.self, count)) else {
            preconditionFailure("There are no addresses left for what is known of blocks")
        }
        return memory.assumingMemoryBound(to: Atomic<Value>.self)
    }

    private static func byteCount<Value>(of type: Value.Type, _ blockCount: Int) -> Int {
        max(blockCount, 1) * MemoryLayout<Value>.size
    }

    private var directory: BlockDirectory { root.directory }

    /// The memory of all blocks that are here.
    var loadedBytes: Int { bytesHere.load(ordering: .relaxed) }

    /// A line of generations begins, which may take so much.
    func admitGenerations(_ limit: PageMemoryLimit) {
        admission.withLock {
            $0.limit = limit
            $0.count += 1
        }
    }

    /// The last generation of a line has ended.
    func endGenerations() {
        admission.withLock {
            $0.count -= 1
            if $0.count == 0 { $0.limit = nil }
        }
        evictIdle()
    }

    /// Whether the blocks of a chunk lie side by side in its memory.
    var blocksAreInChunks: Bool { buffers == nil }

    /// The memory of a chunk: for pages that lie in no block and, without buffers, for blocks too. Nil where there are no
    /// addresses left.
    func memory(ofChunk position: Int) -> UnsafeMutableRawPointer? { chunks.memory(position) }

    /// Where the chunk of a block would begin for the pages of the block to be at their offsets. The caller has the block.
    @inline(__always)
    func chunkStart(of block: Int, at position: Int) -> UnsafeMutableRawPointer? {
        guard let chunkStarts else { return chunks.memory(position) }
        return UnsafeMutableRawPointer(bitPattern: chunkStarts[block].load(ordering: .relaxed))
    }

    /// Whether a number leads to a page of the image, of the right kind, that no page named before.
    func claim(_ number: PageNumber, _ expectation: PageAnatomy.Expectation) -> Bool {
        guard let chunk = directory.claim(number, expectation) else { return false }
        return chunks.mark(number.unit, ofChunk: chunk)
    }

    // MARK: Loaders

    /// Takes a block for a loader, which reads it without a lock from then on. Reads it where it is not here.
    ///
    /// - Parameter isTaken: the loader's mark. It is set under the block's lock: a loader takes a block once.
    /// - Returns: whether it was not taken before.
    func take(
        _ block: Int, ofChunk chunk: Int, _ isTaken: borrowing Atomic<Bool>
    ) throws(PageDamage) -> Bool {
        var (isNews, isRead) = (false, false)
        let damage: PageDamage? = locks[block % Self.lockCount].withLock { known in
            // Acquiring, here and of uses: the thread sanitizer sees no order that the lock gives.
            if isTaken.load(ordering: .acquiring) { return nil }
            if let known = known.first(where: { $0.block == block }) { return known.damage }
            do throws(PageDamage) {
                isRead = try addLoader(block, ofChunk: chunk)
            } catch {
                // Reading may succeed another time. Bytes that were read are what they are.
                if error.isLasting { known.append((block, error)) }
                return error
            }
            isTaken.store(true, ordering: .releasing)
            isNews = true
            return nil
        }
        if let damage { throw damage }
        if isRead { evictIdle(evictions: Self.evictionsMax, looks: Self.looksMax) }
        return isNews
    }

    /// Under the block's lock. Returns whether the block was read.
    private func addLoader(_ block: Int, ofChunk chunk: Int) throws(PageDamage) -> Bool {
        var use = use(of: block)
        let isRead = !use.isHere
        if isRead {
            try read(block, ofChunk: chunk, isFirst: !use.hasClaimed)
            use.noteRead()
        } else if use.isIdle {
            let run = directory.entry(block, inChunk: chunk).run
            bytesIdle.wrappingSubtract(memory(of: run), ordering: .relaxed)
        }
        use.addLoader()
        set(use, of: block)
        return isRead
    }

    /// Drops a block that a loader has taken and reads no more.
    func drop(_ block: Int, _ run: PageRun) {
        locks[block % Self.lockCount].withLock { _ in
            var use = use(of: block)
            use.removeLoader()
            set(use, of: block)
            guard use.isIdle else { return }
            bytesIdle.wrappingAdd(memory(of: run), ordering: .relaxed)
        }
    }

    private func use(of block: Int) -> BlockUse {
        BlockUse(bits: uses[block].load(ordering: .acquiring))
    }

    private func set(_ use: BlockUse, of block: Int) {
        uses[block].store(use.bits, ordering: .releasing)
    }

    private func read(_ block: Int, ofChunk chunk: Int, isFirst: Bool) throws(PageDamage) {
        let (directory, chunks) = (directory, chunks)
        let entry = directory.entry(block, inChunk: chunk)
        guard let start = buffer(of: entry, ofChunk: chunk) else { throw .noMemory(entry.place) }
        do throws(PageDamage) {
            try root.readBlock(entry, from: source, into: start)
            // Last, so that a damaged block claims as few pages as possible.
            try root.checkReferences(of: entry, start) { number, expectation in
                guard let chunk = directory.claim(number, expectation, isAgain: !isFirst)
                else { return false }
                return !isFirst || chunks.mark(number.unit, ofChunk: chunk)
            }
        } catch {
            buffers?.give(start, entry.run.byteCount)
            throw error
        }
        chunkStarts?[block].store(
            UInt(bitPattern: start) &- UInt(entry.run.first.offset), ordering: .relaxed)
        bytesHere.wrappingAdd(memory(of: entry.run), ordering: .relaxed)
    }

    /// What a block takes.
    func memory(of run: PageRun) -> Int {
        buffers == nil ? run.byteCount : BlockBuffers.length(run.byteCount)
    }

    /// Memory of zeros for the pages of a block. Nil where there are no addresses left.
    private func buffer(of entry: BlockEntry, ofChunk chunk: Int) -> UnsafeMutableRawPointer? {
        if let buffers { return buffers.take(entry.run.byteCount) }
        return chunks.memory(chunk).map { $0 + entry.run.first.offset }
    }

    // MARK: Evicting

    /// Evicts idle blocks where all take more than they may.
    func evictIdle() {
        // The hand meets a block again that it leaves, because it was taken.
        evictIdle(evictions: .max, looks: 2 * directory.totals.blockCount)
    }

    private func evictIdle(evictions: Int, looks: Int) {
        guard let bytesMax, let buffers else { return }
        let limit = max(bytesMax, admission.withLock { $0.limit?.bytes } ?? 0)
        var (evictions, looks) = (evictions, looks)
        while loadedBytes > limit, bytesIdle.load(ordering: .relaxed) > 0, looks > 0, evictions > 0
        {
            looks -= 1
            let step = hand.wrappingAdd(1, ordering: .relaxed).oldValue
            let block = Int(UInt(bitPattern: step) % UInt(directory.totals.blockCount))
            if use(of: block).isIdle, meet(block, buffers) { evictions -= 1 }
        }
    }

    /// The hand is at a block. Returns whether that was evicted. One whose lock another thread has, which may wait for a
    /// disk, is passed over.
    private func meet(_ block: Int, _ buffers: BlockBuffers) -> Bool {
        let run = directory.entry(block, inChunk: directory.chunk(ofBlock: block)).run
        let isEvicted = locks[block % Self.lockCount].withLockIfAvailable { _ in
            var use = use(of: block)
            guard use.isIdle else { return false }
            let isEvicted = !use.isRecent
            if isEvicted {
                giveBack(block, run, buffers)
                use.noteEviction()
                bytesHere.wrappingSubtract(memory(of: run), ordering: .relaxed)
                bytesIdle.wrappingSubtract(memory(of: run), ordering: .relaxed)
            }
            use.noteHand()
            set(use, of: block)
            return isEvicted
        }
        return isEvicted ?? false
    }

    private func giveBack(_ block: Int, _ run: PageRun, _ buffers: BlockBuffers) {
        guard let chunkStart = chunkStarts?[block].exchange(0, ordering: .relaxed), chunkStart != 0,
            let start = UnsafeMutableRawPointer(bitPattern: chunkStart &+ UInt(run.first.offset))
        else { preconditionFailure("a block that is here has a buffer") }
        buffers.give(start, run.byteCount)
    }
}
