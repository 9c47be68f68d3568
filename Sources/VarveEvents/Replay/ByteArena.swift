/// Memory for many small byte strings: allocation is a step of a pointer, all is freed at once.
/// Addresses stay as they are.
struct ByteArena: ~Copyable {
    private static let chunkSize = 1 << 20

    private var chunks: [UnsafeMutableRawPointer] = []
    private var cursor: UnsafeMutableRawPointer?
    private var remaining = 0

    /// The bytes handed out.
    private(set) var used = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        used += count
        if let cursor, count <= remaining {
            self.cursor = cursor + count
            remaining -= count
            return cursor
        }
        let isLarge = count > Self.chunkSize / 4
        let size = isLarge ? count : Self.chunkSize
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        chunks.append(chunk)
        guard !isLarge else { return chunk }
        cursor = chunk + count
        remaining = size - count
        return chunk
    }

    /// A copy of `bytes` in the arena.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let memory = allocate(bytes.count)
        if let source = bytes.baseAddress {
            memory.copyMemory(from: source, byteCount: bytes.count)
        }
        return memory
    }
}
