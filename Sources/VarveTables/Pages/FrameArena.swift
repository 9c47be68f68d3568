import CVarve

/// Where the chunks of an arena come from.
package enum FrameSource: Sendable {
    /// Large chunks, which the system is advised to back by huge pages.
    case hugeChunks
    case chunks
    /// A chunk for each frame: a sanitizer then sees every access outside of a frame.
    case separate
}

/// Memory for pages: frames by size class, cut from large chunks, and named by their places.
///
/// A frame that is freed is the first to be given out again in its class, because its lines are
/// still in the processor's cache. A class never gives its frames to another one. A frame above
/// ``FrameSize/classBytesMax`` is a chunk of its own, which goes back to the system.
struct FrameArena: ~Copyable {
    private static let chunkBytesMin = 16 << 10
    private static let chunkBytesMax = 1 << (PageNumber.unitBits + PageNumber.byteBits)
    private static let hugePageBytes = 2 << 20

    let pages: PageTable
    /// The first free frame of each class, which names the next one.
    private let free: UnsafeMutablePointer<PageNumber>
    /// What was not cut yet of the newest chunk.
    private var rest: Range<Int> = 0..<0
    private var restChunk = 0
    private var nextChunkBytes = FrameArena.chunkBytesMin
    /// Numbers of chunks from this on were never given out.
    private var nextChunk = 1
    private var freeChunks: [Int] = []
    private let source: FrameSource
    /// All memory of chunks.
    private(set) var reservedBytes = 0
    /// The frames in use.
    private(set) var frameCount = 0

    init(_ source: FrameSource) {
        pages = .allocate()
        free = .allocate(capacity: FrameSize.classCount)
        free.initialize(repeating: .none, count: FrameSize.classCount)
        self.source = source
    }

    deinit {
        for number in 1..<nextChunk { pages.chunk(number)?.deallocate() }
        free.deallocate()
        pages.deallocate()
    }

    private func isSeparate(_ size: Int) -> Bool {
        size > FrameSize.classBytesMax || source == .separate
    }

    /// A frame whose content is undefined. `size` is one that ``FrameSize/rounded(_:)`` returned.
    @inline(__always)
    mutating func allocate(_ size: Int) -> (PageNumber, Page) {
        frameCount &+= 1
        if size <= FrameSize.classBytesMax {
            let index = FrameSize.index(of: size)
            let number = free[index]
            if let frame = pages.frame(number) {
                free[index] = frame.nextFree
                return (number, frame)
            }
        }
        return allocateFresh(size)
    }

    @inline(__always)
    mutating func deallocate(_ number: PageNumber, _ frame: Page, _ size: Int) {
        frameCount &-= 1
        if isSeparate(size) {
            removeChunk(number.chunk, size)
        } else {
            makeFree(number, frame, size)
        }
    }

    @inline(__always)
    private mutating func makeFree(_ number: PageNumber, _ frame: Page, _ size: Int) {
        assert(Self.overwrite(frame, size))
        let index = FrameSize.index(of: size)
        frame.setFree(next: free[index])
        free[index] = number
    }

    /// In debug builds nothing is read from a frame that was freed without being noticed.
    private static func overwrite(_ frame: Page, _ size: Int) -> Bool {
        frame.address.initializeMemory(as: UInt8.self, repeating: 0xDD, count: size)
        return true
    }

    @inline(never)
    private mutating func allocateFresh(_ size: Int) -> (PageNumber, Page) {
        let number: PageNumber
        if isSeparate(size) {
            number = PageNumber(chunk: addChunk(size), offset: 0)
        } else {
            if rest.count < size { beginChunk(for: size) }
            number = PageNumber(chunk: restChunk, offset: rest.lowerBound)
            rest = rest.lowerBound + size..<rest.upperBound
        }
        guard let frame = pages.frame(number) else { preconditionFailure("the chunk is there") }
        return (number, frame)
    }

    // MARK: Chunks

    private mutating func beginChunk(for size: Int) {
        while !rest.isEmpty { freeRest() }
        let count = max(nextChunkBytes, size)
        restChunk = addChunk(count)
        rest = 0..<count
        nextChunkBytes = min(nextChunkBytes * 2, Self.chunkBytesMax)
    }

    /// Makes a free frame of the beginning of what is left of the newest chunk.
    private mutating func freeRest() {
        let size = FrameSize.largest(within: rest.count)
        let number = PageNumber(chunk: restChunk, offset: rest.lowerBound)
        if let frame = pages.frame(number) { makeFree(number, frame, size) }
        rest = rest.lowerBound + size..<rest.upperBound
    }

    private mutating func addChunk(_ byteCount: Int) -> Int {
        let number = freeChunks.popLast() ?? nextChunk
        precondition(number < PageNumber.chunkLimit, "A store has fewer than 2^15 chunks of pages")
        nextChunk = max(nextChunk, number + 1)
        let isHuge = source == .hugeChunks && byteCount >= Self.hugePageBytes
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount,
            alignment: isHuge ? Self.hugePageBytes : FrameSize.unitBytes)
        if isHuge { varve_advise_huge_pages(memory, byteCount) }
        reservedBytes += byteCount
        pages.setChunk(number, to: memory)
        return number
    }

    private mutating func removeChunk(_ number: Int, _ byteCount: Int) {
        pages.chunk(number)?.deallocate()
        pages.setChunk(number, to: nil)
        freeChunks.append(number)
        reservedBytes -= byteCount
    }
}
