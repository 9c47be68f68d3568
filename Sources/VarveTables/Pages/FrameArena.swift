import CVarve

/// Where the chunks of an arena come from.
package enum FrameSource: Sendable {
    /// Large chunks, which the system is advised to back by huge pages.
    case hugeChunks
    case chunks
    /// A chunk for each frame: a sanitizer then sees every access outside of a frame.
    case separate
}

/// Memory for pages: frames by kind and size, cut from runs of large chunks, and named by their places.
///
/// A frame that is freed is the first to be given out again of its kind and size, because its lines are
/// still in the processor's cache. It is never given to another kind: a number that outlives its page, as
/// those of a forged image may, still leads to a page of the kind that it says. A frame above
/// ``FrameSize/classBytesMax`` is a chunk of its own, which goes back to the system.
struct FrameArena: ~Copyable {
    private static let chunkBytesMin = 16 << 10
    private static let chunkBytesMax = 1 << (PageNumber.unitBits + PageNumber.byteBits)
    private static let hugePageBytes = 2 << 20
    /// All that is spilled is paged out when it has grown by this.
    private static let pagedOutBytesStep = 16 << 20

    let pages: PageTable
    private var slabs = SlabTable()
    private var runs = RunSpace()
    /// Spans of an image's chunks that are in no block. Their memory is not spilled, so they are used as far as pages may be
    /// in memory.
    private var imageRuns = RunSpace()
    /// What was taken of them, in bytes.
    private var imageRunBytes = 0
    private var nextChunkBytes = FrameArena.chunkBytesMin
    /// Numbers of chunks from this on were never given out.
    private var nextChunk = 1
    private var freeChunks: [Int] = []
    private let source: FrameSource
    /// Nil where all pages stay in memory.
    private let memory: ReplayMemory?
    /// Has the chunks beyond the memory that they may take; nil before the first one.
    private var spillFile: SpillFile?
    private(set) var spilledBytes = 0
    /// Of them, those that were paged out when they were new.
    private var pagedOutBytes = 0
    /// All memory of chunks.
    private(set) var reservedBytes = 0
    /// The frames in use.
    private(set) var frameCount = 0

    /// Runs grow to this, and are larger only where a frame needs it: what an image reads at a time.
    private let runSpansMax: Int

    init(
        _ source: FrameSource, runBytes: Int = FrameArena.runBytesStandard,
        memory: ReplayMemory? = nil
    ) {
        pages = .allocate()
        self.source = source
        self.memory = memory
        runSpansMax = max(1, runBytes / PageSpan.bytes)
    }

    static let runBytesStandard = 32 << 10
    /// Where not all of an image fits into memory: a read of a page costs what its block costs.
    static let runBytesOfLargeImages = 16 << 10
    /// Ids are in buckets by their hashes, so what is looked up next is mostly in another run.
    private static let idRunBytes = 8 << 10

    private func spansMax(of kind: PageKind) -> Int {
        guard kind == PageKind(.idBucket) else { return runSpansMax }
        return min(runSpansMax, Self.idRunBytes / PageSpan.bytes)
    }

    deinit {
        for number in 1..<nextChunk {
            pages.removeSpans(ofChunk: number)
            // What is left of an image's chunks is released by what brings its pages.
            guard !imageChunks.contains(number), let memory = pages.chunk(number),
                spillFile?.holds(memory) != true
            else { continue }
            memory.deallocate()
        }
        pages.deallocate()
        memory?.noteSpilled(-spilledBytes)
    }

    // MARK: Images

    /// The chunks that an image brings, whose memory is not the arena's.
    private var imageChunks: Set<Int> = []

    /// Those of an image's chunks whose free spans were not taken yet, and how many are looked at for one run: each
    /// look reads a part of the image. Where that fails the spans stay free until the next image.
    private var unseenChunks: [ImageLayout.Chunk] = []
    private static let looksMax = 4

    /// Takes in the chunks of an image, before the first page is allocated. Their frames are in use, or free
    /// once ``takeFreeFrames(of:)`` is called.
    mutating func adopt(_ layout: ImageLayout) {
        frameCount = layout.pageCount
        for chunk in layout.chunks {
            imageChunks.insert(chunk.number)
            nextChunk = max(nextChunk, chunk.number + 1)
        }
        freeChunks = (1..<nextChunk).filter { !imageChunks.contains($0) }
        unseenChunks = layout.chunks.filter { $0.freeSpanCount > 0 }
    }

    /// Takes the free spans of further chunks of the image until so many lie side by side, or enough chunks were looked at.
    private mutating func findImageRun(of spanCount: Int) -> Bool {
        for _ in 0..<Self.looksMax where !imageRuns.has(spanCount) {
            guard let chunk = unseenChunks.popLast() else { break }
            let ranges = pages.cold?.loader.freeSpans(ofChunk: chunk.number) ?? []
            if ranges.isEmpty { continue }
            pages.addSpans(chunk.spanCount, ofChunk: chunk.number)
            for range in ranges { imageRuns.give(chunk.number, range) }
        }
        return imageRuns.has(spanCount)
    }

    /// Makes the frames of an image's run that hold no page available. All of them are in memory.
    mutating func takeFreeFrames(of run: PageRun) {
        for index in 0..<run.frameCount {
            let number = run.number(index)
            let frame = pages.frame(number)
            if frame.isFree { makeFree(number, frame) }
        }
    }

    /// The chunks that no page of an image is in.
    var chunksBesideImage: [PageTable.Chunk] {
        (1..<nextChunk).compactMap { number in
            guard !imageChunks.contains(number), let memory = pages.chunk(number) else {
                return nil
            }
            return PageTable.Chunk(number: number, memory: memory)
        }
    }

    func isOfImage(_ number: PageNumber) -> Bool { imageChunks.contains(number.chunk) }

    // MARK: Frames

    private func isSeparate(_ size: Int) -> Bool {
        size > FrameSize.classBytesMax || source == .separate
    }

    /// A frame whose content is undefined but for its kind and size, which is one that
    /// ``FrameSize/rounded(_:)`` returned.
    @inline(__always)
    mutating func allocate(_ kind: PageKind, _ size: Int) -> (PageNumber, Page) {
        frameCount &+= 1
        if size <= FrameSize.classBytesMax {
            let slab = slabs.slab(kind, FrameSize.index(of: size))
            let number = slab.pointee.free
            if number != .none {
                let frame = pages.frame(number)
                slab.pointee.free = frame.nextFree
                return (number, frame)
            }
            if let number = slab.pointee.cut(size) { return (number, made(number, kind, size)) }
        }
        return allocateFresh(kind, size)
    }

    private func made(_ number: PageNumber, _ kind: PageKind, _ size: Int) -> Page {
        let frame = pages.frame(number)
        frame.setKind(kind, byteCount: size)
        return frame
    }

    @inline(__always)
    mutating func deallocate(_ number: PageNumber, _ frame: Page) {
        frameCount &-= 1
        let size = frame.byteCount
        if isSeparate(size), !imageChunks.contains(number.chunk) {
            removeChunk(number.chunk, size)
        } else {
            makeFree(number, frame)
        }
    }

    @inline(__always)
    private mutating func makeFree(_ number: PageNumber, _ frame: Page) {
        let size = frame.byteCount
        // A chunk of an image is its loader's, and so is a frame that has one of its own.
        guard size <= FrameSize.classBytesMax else { return frame.setFree(next: .none) }
        assert(Self.overwrite(frame))
        let slab = slabs.slab(frame.kind, FrameSize.index(of: size))
        frame.setFree(next: slab.pointee.free)
        slab.pointee.free = number
    }

    /// In debug builds nothing is read from a frame that was freed without being noticed.
    private static func overwrite(_ frame: Page) -> Bool {
        let size = frame.byteCount - Page.headerBytes
        (frame.address + Page.headerBytes).initializeMemory(
            as: UInt8.self, repeating: 0xDD, count: size)
        return true
    }

    @inline(never)
    private mutating func allocateFresh(_ kind: PageKind, _ size: Int) -> (PageNumber, Page) {
        precondition(size <= Page.byteCountMax, "A page is smaller than 1 GiB")
        if isSeparate(size) {
            let number = PageNumber(chunk: addChunk(size, spanCount: 1), offset: 0)
            pages.setSpans(
                of: PageRun(first: number, kind: kind, frameBytes: size, spanCount: 1))
            return (number, made(number, kind, size))
        }
        let slab = slabs.slab(kind, FrameSize.index(of: size))
        let wish = slab.pointee.nextSpanCount(size, most: spansMax(of: kind))
        let place = place(of: wish)
        let first = PageNumber(chunk: place.chunk, offset: place.span * PageSpan.bytes)
        let run = PageRun(first: first, kind: kind, frameBytes: size, spanCount: wish)
        pages.setSpans(of: run)
        slab.pointee.begin(run)
        guard let number = slab.pointee.cut(size) else { preconditionFailure("a run has frames") }
        return (number, made(number, kind, size))
    }

    // MARK: Chunks

    /// Takes neighbouring spans, of a chunk of the image or of another one.
    private mutating func place(of spanCount: Int) -> (chunk: Int, span: Int) {
        let byteCount = spanCount * PageSpan.bytes
        if mayUseImageRuns(imageRunBytes + byteCount), findImageRun(of: spanCount) {
            imageRunBytes += byteCount
            return imageRuns.take(spanCount)
        }
        if !runs.has(spanCount) { beginChunk(for: spanCount) }
        return runs.take(spanCount)
    }

    /// Whether so much of the image's chunks may be used: all where numbers of chunks become few, because those of the
    /// image are never given up by a state that has it.
    private func mayUseImageRuns(_ byteCount: Int) -> Bool {
        isInMemory(byteCount) || nextChunk > PageNumber.chunkLimit / 2
    }

    /// Whether pages may be in memory where those in chunks of the image take so much.
    private func isInMemory(_ imageRunBytes: Int) -> Bool {
        guard let memory else { return true }
        return reservedBytes - spilledBytes + imageRunBytes <= memory.changedBytesMax
    }

    private mutating func beginChunk(for spanCount: Int) {
        let byteCount = max(nextChunkBytes, spanCount * PageSpan.bytes)
        let count = byteCount / PageSpan.bytes
        runs.give(addChunk(byteCount, spanCount: count), 0..<count)
        nextChunkBytes = min(nextChunkBytes * 2, Self.chunkBytesMax)
    }

    private mutating func addChunk(_ byteCount: Int, spanCount: Int) -> Int {
        let number = freeChunks.popLast() ?? nextChunk
        precondition(number < PageNumber.chunkLimit, "A store has fewer than 2^15 chunks of pages")
        nextChunk = max(nextChunk, number + 1)
        reservedBytes += byteCount
        pages.addSpans(spanCount, ofChunk: number)
        pages.setChunk(number, to: spilled(byteCount) ?? allocated(byteCount))
        return number
    }

    private func allocated(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let isHuge = source == .hugeChunks && byteCount >= Self.hugePageBytes
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount,
            alignment: isHuge ? Self.hugePageBytes : FrameSize.unitBytes)
        if isHuge { varve_advise_huge_pages(memory, byteCount) }
        return memory
    }

    /// Memory in the spill file; nil where the chunk fits into memory, or there is no such file or no space in it.
    private mutating func spilled(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let memory, !isInMemory(imageRunBytes) else { return nil }
        if spilledBytes == 0 { spillFile = memory.makeSpillFile() }
        guard let chunk = spillFile?.map(byteCount) else { return nil }
        noteSpilled(byteCount)
        if spilledBytes - pagedOutBytes > Self.pagedOutBytesStep { pageOut() }
        return chunk
    }

    private mutating func noteSpilled(_ byteCount: Int) {
        spilledBytes += byteCount
        pagedOutBytes = min(pagedOutBytes, spilledBytes)
        memory?.noteSpilled(byteCount)
    }

    /// Takes spilled pages from the process's memory until they are touched again.
    mutating func pageOut() {
        spillFile?.pageOut()
        pagedOutBytes = spilledBytes
    }

    private mutating func removeChunk(_ number: Int, _ byteCount: Int) {
        let memory = pages.chunk(number)
        pages.setChunk(number, to: nil)
        pages.removeSpans(ofChunk: number)
        if let memory {
            if spillFile?.unmap(memory) == true {
                noteSpilled(-byteCount)
            } else {
                memory.deallocate()
            }
        }
        freeChunks.append(number)
        reservedBytes -= byteCount
    }
}
