internal import CVarve

/// Tells the processor which memory is wanted soon. Nothing else changes by it.
///
/// Whoever copies a node, or rows, counts a reference to everything that they lead to. Counting is
/// atomic, so the processor waits for one cold line before it asks for the next. Asked for all of
/// them beforehand, it waits for them together.
@usableFromInline
enum Prefetch {
    /// Asks for all lines of some memory.
    @usableFromInline
    static func lines(at start: UnsafeRawPointer, byteCount: Int) {
        // From the first line's own beginning: else the last one of what is not aligned would be left out.
        var offset = -(Int(bitPattern: start) & 63)
        while offset < byteCount {
            varve_prefetch(start + offset)
            offset &+= 64
        }
    }

    /// Asks for what is behind the first line of a row, which is being read, and for what its beginning refers to:
    /// copying it counts each reference.
    @usableFromInline
    static func row(at start: UnsafeRawPointer, byteCount: Int) {
        lines(at: start + 64, byteCount: byteCount - 64)
        references(in: start, byteCount: min(byteCount, 128))
    }

    /// Asks for the objects that the words of some memory refer to.
    ///
    /// Each word that looks like the address of an object is taken for one: references are such words,
    /// and those inside of strings and arrays.
    @usableFromInline
    static func references(in start: UnsafeRawPointer, byteCount: Int) {
        var offset = 0
        while offset &+ MemoryLayout<UInt>.size <= byteCount {
            let word = start.loadUnaligned(fromByteOffset: offset, as: UInt.self)
            offset &+= MemoryLayout<UInt>.size
            // Objects are aligned to 16 bytes, and in the lower half of 48 bits of addresses.
            guard word & 15 == 0, word &>> UInt(UInt.bitWidth - 17) == 0, word > 0xFFFF else {
                continue
            }
            varve_prefetch(UnsafeRawPointer(bitPattern: word))
        }
    }
}
