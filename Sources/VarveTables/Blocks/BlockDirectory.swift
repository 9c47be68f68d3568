import CVarve
import Synchronization
import VarveEvents

/// Where the blocks of an image are, by the places of their pages. The blocks of a chunk are read when one of them is asked for: an
/// opening reads what all chunks come to.
///
///     image    block block block ...   part part ...   root
///     part     where the blocks of one chunk are, and their checksums
///     root     of each chunk: what its blocks come to, and the checksum of its part
///
/// Blocks are stored one behind the other in the order of their places from the beginning of the image on: they can neither
/// overlap nor leave a gap. Parts follow in the same order.
// Sendable unchecked: what changes is an atomic for each chunk, which is set once and keeps its object alive.
final class BlockDirectory: @unchecked Sendable {
    /// By number.
    let chunks: [ImageChunk]
    /// Of all chunks.
    let totals: ImageChunk.Totals
    /// Where the root begins, behind all blocks and parts.
    let endOffset: UInt64
    /// Where blocks and parts of chunks begin, with those of none behind the last.
    private let starts: [ImageChunk.Start]
    private let partOffsets: [UInt64]
    /// By number of a chunk, its position plus one. Behind a pointer for the reason that ``ChunkBlocks`` has.
    private let chunkPositions: UnsafeMutablePointer<Int32>
    private let numberLimit: Int
    private let nextBlock: UInt64
    /// Where parts are read; nil where all of them are here.
    private let source: (any BlockSource)?
    /// References to ``ChunkBlocks``, retained; 0 where a part was not read.
    private let parts: UnsafeMutablePointer<Atomic<UInt>>
    let claims: PageClaims
    /// Of parts that were read and are damaged, by the position of the chunk. They are not read again.
    private let damages = Mutex<[Int: PageDamage]>([:])

    /// Twice what a store has. A run is longer only where one frame is.
    static let runBytesMax = 2 * PageStore.blockBytesStandard

    /// - Parameters:
    ///   - chunks: ascending by number.
    ///   - nextBlock: blocks have numbers below it.
    ///   - source: nil where the caller sets all parts.
    init(_ chunks: [ImageChunk], nextBlock: UInt64, source: (any BlockSource)?) {
        self.chunks = chunks
        self.nextBlock = nextBlock
        self.source = source
        var totals = ImageChunk.Totals()
        var starts: [ImageChunk.Start] = []
        numberLimit = (chunks.last?.number ?? 0) + 1
        chunkPositions = .allocate(capacity: numberLimit)
        chunkPositions.initialize(repeating: 0, count: numberLimit)
        for (position, chunk) in chunks.enumerated() {
            starts.append(.init(block: totals.blockCount, offset: totals.storedBytes))
            totals.add(chunk.totals)
            chunkPositions[chunk.number] = Int32(position + 1)
        }
        var partOffsets: [UInt64] = []
        var offset = totals.storedBytes
        for chunk in chunks {
            partOffsets.append(offset)
            offset += UInt64(chunk.partBytes)
        }
        endOffset = offset
        self.totals = totals
        self.starts = starts
        self.partOffsets = partOffsets
        claims = PageClaims(chunkCount: chunks.count)
        parts = .allocate(capacity: chunks.count)
        for position in chunks.indices { (parts + position).initialize(to: Atomic(0)) }
    }

    deinit {
        for position in chunks.indices {
            if let part = reference(position) { part.release() }
        }
        parts.deinitialize(count: chunks.count).deallocate()
        chunkPositions.deallocate()
    }

    // MARK: Parts

    /// The blocks of a chunk, where they were read.
    func reference(_ position: Int) -> Unmanaged<ChunkBlocks>? {
        UnsafeRawPointer(bitPattern: parts[position].load(ordering: .acquiring)).map {
            Unmanaged.fromOpaque($0)
        }
    }

    /// The blocks of a chunk, which are read where they were not. Any number of threads ask.
    func blocks(ofChunk position: Int) throws(PageDamage) -> ChunkBlocks {
        if let known = reference(position) { return known.takeUnretainedValue() }
        if let damage = damages.withLock({ $0[position] }) { throw damage }
        do throws(PageDamage) {
            return try set(position, to: try read(position))
        } catch {
            if error.isLasting { damages.withLock { $0[position] = error } }
            throw error
        }
    }

    /// Whether the blocks of a chunk were read.
    func isRead(_ position: Int) -> Bool { parts[position].load(ordering: .acquiring) != 0 }

    /// The one that was set first: two threads may have read a part at once.
    private func set(_ position: Int, to part: ChunkBlocks) throws(PageDamage) -> ChunkBlocks {
        let isSound = claims.settle(part, ofChunk: position) {
            if !isRead(position) { publish(part, at: position) }
        }
        guard isSound, let known = reference(position) else {
            throw .content(place(ofChunk: position), reason: "a page names what it cannot there")
        }
        return known.takeUnretainedValue()
    }

    /// Sets the blocks of a chunk, which were not set.
    func publish(_ part: ChunkBlocks, at position: Int) {
        let address = UInt(bitPattern: Unmanaged.passRetained(part).toOpaque())
        parts[position].store(address, ordering: .releasing)
    }

    private func read(_ position: Int) throws(PageDamage) -> ChunkBlocks {
        let (chunk, place) = (chunks[position], place(ofChunk: position))
        guard let source else { preconditionFailure("all parts of a new directory are set") }
        let bytes = try place.read(from: source)
        defer { bytes.deallocate() }
        let found = Self.checksum(UnsafeRawBufferPointer(bytes))
        guard found == chunk.partChecksum else {
            throw .checksum(place, expected: chunk.partChecksum, found: found)
        }
        do throws(CodecError) {
            return try ChunkBlocks.decode(
                UnsafeRawBufferPointer(bytes), of: chunk, at: starts[position],
                nextBlock: nextBlock)
        } catch {
            throw .content(place, reason: "\(error)")
        }
    }

    /// Where it is said where the blocks of a chunk are.
    func place(ofChunk position: Int) -> PageDamage.Place {
        PageDamage.Place(
            .directory(chunk: chunks[position].number), offset: partOffsets[position],
            byteCount: chunks[position].partBytes)
    }

    // MARK: Finding

    func chunkPosition(_ number: Int) -> Int? {
        guard number < numberLimit else { return nil }
        let position = Int(chunkPositions[number]) - 1
        return position < 0 ? nil : position
    }

    /// With spans that are in no block; nil where there is no such chunk.
    func spanCount(ofChunk number: Int) -> Int? {
        chunkPosition(number).map { chunks[$0].spanCount }
    }

    /// The position of a block among all, where its run has the span of a number, which may be any of the chunk.
    @inline(__always)
    func block(of number: PageNumber, inChunk position: Int) throws(PageDamage) -> Int? {
        if let known = reference(position) {
            return known._withUnsafeGuaranteedRef { $0.block(of: number) }
        }
        return try blocks(ofChunk: position).block(of: number)
    }

    /// The run of a number, which may be any of the chunk; none where it is in no block.
    @inline(__always)
    func span(of number: PageNumber, inChunk position: Int) throws(PageDamage) -> PageSpan {
        if let known = reference(position) {
            return known._withUnsafeGuaranteedRef { $0.span(of: number) }
        }
        return try blocks(ofChunk: position).span(of: number)
    }

    /// What is known of a block that was found.
    func entry(_ block: Int, inChunk position: Int) -> BlockEntry {
        guard let known = reference(position) else {
            preconditionFailure("a block that was found is known")
        }
        return known._withUnsafeGuaranteedRef { $0.entry(block) }
    }

    /// The position of the chunk that a block is in.
    func chunk(ofBlock block: Int) -> Int {
        var (low, high) = (0, chunks.count)
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle].block <= block { low = middle } else { high = middle }
        }
        return low
    }

    /// The block that has a number's frame, and the frame's position there; nil where no frame of the image begins there.
    func frame(of number: PageNumber) throws(PageDamage) -> FoundFrame? {
        guard let chunk = chunkPosition(number.chunk),
            let block = try block(of: number, inChunk: chunk),
            let index = try span(of: number, inChunk: chunk).frameIndex(of: number)
        else { return nil }
        return FoundFrame(block: block, entry: entry(block, inChunk: chunk), index: index)
    }

    /// As ``block(of:inChunk:)``, and nil where the chunk's blocks cannot be read.
    func readableBlock(of number: PageNumber, inChunk position: Int) -> Int? {
        do throws(PageDamage) {
            return try block(of: number, inChunk: position)
        } catch {
            return nil
        }
    }

    /// As ``span(of:inChunk:)``, and none where the chunk's blocks cannot be read.
    @inline(__always)
    func readableSpan(of number: PageNumber, inChunk position: Int) -> PageSpan {
        do throws(PageDamage) {
            return try span(of: number, inChunk: position)
        } catch {
            return .none
        }
    }

    /// As ``frame(of:)``, and nil where the chunk's blocks cannot be read; see ``readChunk(of:)``.
    func readableFrame(of number: PageNumber) -> FoundFrame? {
        do throws(PageDamage) {
            return try frame(of: number)
        } catch {
            return nil
        }
    }

    /// Reads the blocks of a number's chunk, where the image has it.
    func readChunk(of number: PageNumber) throws(PageDamage) {
        if let chunk = chunkPosition(number.chunk), !isRead(chunk) {
            _ = try blocks(ofChunk: chunk)
        }
    }

    // MARK: All

    /// All blocks, by place. Reads what was not read.
    func allBlocks() throws(PageDamage) -> [BlockEntry] {
        var blocks: [BlockEntry] = []
        blocks.reserveCapacity(totals.blockCount)
        for position in chunks.indices { blocks += try self.blocks(ofChunk: position).entries }
        return blocks
    }

    /// Calls `body` with the position and the entry of each block of the chunks that were read.
    func forEachKnownBlock(_ body: (Int, BlockEntry) -> Void) {
        for position in chunks.indices {
            guard let part = reference(position)?.takeUnretainedValue() else { continue }
            for (index, entry) in part.entries.enumerated() { body(part.firstBlock + index, entry) }
        }
    }

    /// Which chunks the pages take.
    var layout: ImageLayout {
        ImageLayout(
            chunks: chunks.map(\.layout), pageCount: totals.pageCount,
            pageBytes: totals.pageBytes)
    }
}

/// Where a page of an image lies.
struct FoundFrame {
    /// The position of its block, among those of all chunks.
    let block: Int
    let entry: BlockEntry
    /// The position of its frame in the block.
    let index: Int
}
