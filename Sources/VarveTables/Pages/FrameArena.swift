import CVarve

/// Where the frames of pages come from.
package enum FrameSource: Sendable {
    /// Large chunks, which the system is advised to back by huge pages.
    case hugeChunks
    case chunks
    /// The system's allocator, one by one: a sanitizer then sees every access outside of a frame.
    case system
}

/// Memory for pages: frames by size class, cut from large chunks.
///
/// A frame that is freed is the first to be given out again in its class, because its lines are
/// still in the processor's cache. A class never gives its frames to another one. Frames above
/// ``classBytesMax`` come from the system's allocator one by one.
struct FrameArena: ~Copyable {
    static let classBytes = 64
    static let classBytesMax = 8 << 10
    private static let chunkBytesMin = 16 << 10
    private static let chunkBytesMax = 4 << 20
    private static let hugePageBytes = 2 << 20

    /// The first free frame of each class. A free frame begins with the address of the next.
    private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var cursor: UnsafeMutableRawPointer?
    private var remaining = 0
    private var chunks: [UnsafeMutableRawPointer] = []
    private var nextChunkBytes = FrameArena.chunkBytesMin
    private let source: FrameSource
    /// All memory of chunks and of large frames.
    private(set) var reservedBytes = 0

    init(_ source: FrameSource) {
        let classes = Self.classBytesMax / Self.classBytes + 1
        free = .allocate(capacity: classes)
        free.initialize(repeating: nil, count: classes)
        self.source = source
    }

    /// Frames that ``isSeparate(_:)`` must have been freed before.
    deinit {
        for chunk in chunks { chunk.deallocate() }
        free.deallocate()
    }

    /// The size of a frame that holds this much.
    static func frameBytes(for byteCount: Int) -> Int {
        (byteCount + classBytes - 1) & ~(classBytes - 1)
    }

    /// Whether a frame of this size comes from the system's allocator.
    func isSeparate(_ byteCount: Int) -> Bool {
        byteCount > Self.classBytesMax || source == .system
    }

    /// A frame whose content is undefined. `byteCount` is a size that ``frameBytes(for:)`` returned.
    @inline(__always)
    mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if byteCount <= Self.classBytesMax, let frame = free[byteCount / Self.classBytes] {
            free[byteCount / Self.classBytes] = frame.load(as: UnsafeMutableRawPointer?.self)
            return frame
        }
        return allocateFresh(byteCount)
    }

    @inline(__always)
    mutating func deallocate(_ frame: UnsafeMutableRawPointer, _ byteCount: Int) {
        assert(Self.overwrite(frame, byteCount))
        guard !isSeparate(byteCount) else {
            reservedBytes -= byteCount
            return frame.deallocate()
        }
        frame.storeBytes(
            of: free[byteCount / Self.classBytes], as: UnsafeMutableRawPointer?.self)
        free[byteCount / Self.classBytes] = frame
    }

    /// In debug builds nothing is read from a frame that was freed without being noticed.
    private static func overwrite(_ frame: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool {
        frame.initializeMemory(as: UInt8.self, repeating: 0xDD, count: byteCount)
        return true
    }

    @inline(never)
    private mutating func allocateFresh(_ byteCount: Int) -> UnsafeMutableRawPointer {
        guard !isSeparate(byteCount) else {
            reservedBytes += byteCount
            return .allocate(byteCount: byteCount, alignment: Self.classBytes)
        }
        if remaining < byteCount { addChunk() }
        guard let frame = cursor else { preconditionFailure("a chunk was just added") }
        cursor = frame + byteCount
        remaining -= byteCount
        return frame
    }

    private mutating func addChunk() {
        // What is left of the chunk before is smaller than a frame, so it is a frame of a class.
        if let cursor, remaining > 0 { deallocate(cursor, remaining) }
        let size = nextChunkBytes
        let isHuge = source == .hugeChunks && size >= Self.hugePageBytes
        let chunk = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: isHuge ? Self.hugePageBytes : Self.classBytes)
        if isHuge { varve_advise_huge_pages(chunk, size) }
        chunks.append(chunk)
        reservedBytes += size
        cursor = chunk
        remaining = size
        nextChunkBytes = min(size * 2, Self.chunkBytesMax)
    }
}
