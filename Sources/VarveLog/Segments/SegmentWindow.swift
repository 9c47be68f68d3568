/// A view of a file that slides forward over it, block by block, in memory that is reused.
///
/// Files are read, not mapped: a mapped file that shrinks or fails ends the process instead of
/// giving an error.
final class SegmentWindow {
    private let file: any StoreFile
    private let name: String
    private let blockBytes: Int
    private let buffer: ByteBuffer
    /// The file position of the buffer's first byte, and how many bytes are there.
    private var start: UInt64 = 0
    private var filled = 0
    /// Nothing at or behind this offset is looked at.
    private(set) var end: FrameOffset

    static let sequentialBlockBytes = 1 << 20
    static let randomBlockBytes = 1 << 16

    init(
        _ file: any StoreFile, name: String, end: FrameOffset,
        blockBytes: Int = SegmentWindow.sequentialBlockBytes
    ) {
        self.file = file
        self.name = name
        self.end = end
        self.blockBytes = blockBytes
        buffer = ByteBuffer()
    }

    /// How many bytes lie between `offset` and the end.
    func remaining(from offset: FrameOffset) -> UInt64 {
        offset < end ? end.rawValue - offset.rawValue : 0
    }

    /// `count` bytes from `offset`, valid until the next call. They must lie before the end, so
    /// that a forged length never asks for more memory than the file has bytes.
    @inline(__always)
    func bytes(at offset: FrameOffset, count: Int) throws(LogError) -> UnsafeRawBufferPointer {
        precondition(
            UInt64(count) <= remaining(from: offset), "a window shows bytes of its file only")
        let position = offset.rawValue &- start
        if offset.rawValue < start || position &+ UInt64(count) > UInt64(filled) {
            try slide(to: offset, count: count)
            return UnsafeRawBufferPointer(buffer.prefix(count))
        }
        let first = Int(position)
        return UnsafeRawBufferPointer(rebasing: buffer.bytes[first..<(first + count)])
    }

    /// Behind the last byte from `offset` on that is not zero; `offset` where all are.
    func contentEnd(from offset: FrameOffset) throws(LogError) -> FrameOffset {
        var end = offset
        var position = try contentStart(from: offset)
        while remaining(from: position) > 0 {
            let count = Int(min(remaining(from: position), UInt64(blockBytes)))
            let content = try bytes(at: position, count: count).countWithoutTrailingZeros
            if content > 0 { end = FrameOffset(position.rawValue + UInt64(content)) }
            position = try contentStart(from: FrameOffset(position.rawValue + UInt64(count)))
        }
        return end
    }

    /// `offset`, or behind the hole of a sparse file that is there: between them are only zeros. The end where nothing
    /// else follows. The file is asked where fewer than `count` bytes from there are in memory.
    func contentStart(
        from offset: FrameOffset, count: Int = 1
    ) throws(LogError) -> FrameOffset {
        let loadedEnd = start + UInt64(filled)
        if offset.rawValue >= start, offset.rawValue + UInt64(count) <= loadedEnd { return offset }
        guard remaining(from: offset) > 0 else { return offset }
        let found = try LogError.wrapping { () throws(FileSystemError) in
            try file.contentStart(from: offset)
        }
        return min(found ?? end, end)
    }

    private func slide(to offset: FrameOffset, count: Int) throws(LogError) {
        var kept = 0
        if offset.rawValue >= start, offset.rawValue < start + UInt64(filled) {
            let first = Int(offset.rawValue - start)
            kept = filled - first
            buffer.bytes.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: buffer.bytes[first..<filled]))
        }
        filled = kept
        start = offset.rawValue
        let wanted = Int(min(UInt64(max(count, blockBytes)), remaining(from: offset)))
        buffer.grow(to: wanted, keeping: kept)
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[kept..<wanted])
        try LogError.wrapping { () throws(FileSystemError) in
            try file.readExactly(
                into: room, at: FrameOffset(start + UInt64(kept)), name: name)
        }
        filled = wanted
    }
}
