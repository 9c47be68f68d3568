/// A growable buffer of bytes that encoders append to.
///
/// The writer owns its memory: it cannot be copied, and frees the memory when it goes away.
/// Appending is amortised O(1) for each byte.
///
/// `@unchecked Sendable`: the memory behind `base` is reachable through this one value only, and
/// a noncopyable value is in one place at a time.
public struct ByteWriter: ~Copyable, @unchecked Sendable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int

    /// The number of bytes written.
    @inlinable public var count: Int { _count }

    @usableFromInline var _count = 0

    /// Makes an empty writer with room for `capacity` bytes.
    public init(capacity: Int = 64) {
        self.capacity = max(capacity, 16)
        base = .allocate(byteCount: self.capacity, alignment: 1)
    }

    deinit {
        base.deallocate()
    }

    /// Whether nothing was written.
    @inlinable public var isEmpty: Bool { _count == 0 }

    /// Makes room for `additional` more bytes.
    // Inlined: the test is all that a small append may cost beside its store.
    @inlinable
    public mutating func reserve(_ additional: Int) {
        if capacity &- _count < additional { grow(additional) }
    }

    // Out of line: the cold half of `reserve`.
    @usableFromInline
    @inline(never)
    mutating func grow(_ additional: Int) {
        let needed = _count + additional
        let wider = max(needed, capacity * 2)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 1)
        moved.copyMemory(from: base, byteCount: _count)
        base.deallocate()
        base = moved
        capacity = wider
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: _count, as: UInt8.self)
        _count &+= 1
    }

    /// Appends the bytes of a buffer as they are, without a length.
    @inlinable
    public mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        (base + _count).copyMemory(from: source, byteCount: bytes.count)
        _count &+= bytes.count
    }

    /// Appends the bytes of a collection as they are, without a length.
    public mutating func write(_ bytes: some Collection<UInt8>) {
        let copied: Void? = bytes.withContiguousStorageIfAvailable {
            write(UnsafeRawBufferPointer($0))
        }
        guard copied == nil else { return }
        for byte in bytes { append(byte) }
    }

    /// Appends an integer in little-endian order, at its full width.
    @inlinable
    public mutating func write<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        let width = MemoryLayout<Integer>.size
        reserve(width)
        base.storeBytes(of: value.littleEndian, toByteOffset: _count, as: Integer.self)
        _count &+= width
    }

    /// Appends an unsigned integer as LEB128: seven bits a byte, lowest first, 1 to 10 bytes.
    @inlinable
    public mutating func writeVarint(_ value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            base.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: _count, as: UInt8.self)
            _count &+= 1
            rest &>>= 7
        }
        base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: _count, as: UInt8.self)
        _count &+= 1
    }

    /// Appends a count, which is never negative, as LEB128.
    @inlinable
    public mutating func writeCount(_ count: Int) {
        writeVarint(UInt64(count))
    }

    /// Appends a signed integer as LEB128 of its zigzag form, so that small magnitudes stay short.
    @inlinable
    public mutating func writeSigned(_ value: Int64) {
        writeVarint(UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
    }

    /// Appends a text as the LEB128 count of its UTF-8 bytes and these bytes.
    @inlinable
    public mutating func writeText(_ text: String) {
        let written: Void? = text.utf8.withContiguousStorageIfAvailable {
            writeCount($0.count)
            write(UnsafeRawBufferPointer($0))
        }
        if written == nil { writeForeignText(text) }
    }

    // Strings bridged from elsewhere are not contiguous UTF-8.
    @usableFromInline
    @inline(never)
    mutating func writeForeignText(_ text: String) {
        var native = text
        native.withUTF8 {
            writeCount($0.count)
            write(UnsafeRawBufferPointer($0))
        }
    }

    /// Appends a buffer preceded by its length as LEB128.
    @inlinable
    public mutating func writeLengthPrefixed(_ bytes: UnsafeRawBufferPointer) {
        writeCount(bytes.count)
        write(bytes)
    }

    /// Appends what another writer holds.
    @inlinable
    public mutating func write(contentsOf other: borrowing ByteWriter) {
        write(UnsafeRawBufferPointer(start: other.base, count: other._count))
    }

    /// Calls `body` with the bytes written so far. The buffer is valid during the call only.
    @inlinable
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: _count))
    }

    /// A copy of the bytes written so far.
    public borrowing func copyBytes() -> [UInt8] {
        withBytes { [UInt8]($0) }
    }

    /// Forgets all bytes and keeps the memory for the next use.
    @inlinable
    public mutating func removeAll() {
        _count = 0
    }

    /// Forgets every byte from `count` on.
    @inlinable
    public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= _count, "A writer is cut to what it holds")
        _count = count
    }
}
