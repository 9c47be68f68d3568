/// A bounded cursor over encoded bytes.
///
/// Every read past the end throws a ``CodecError``; none traps, whatever the bytes are. The reader
/// does not own its bytes: they must outlive it.
public struct ByteReader {
    @usableFromInline let base: UnsafeRawPointer?
    @usableFromInline let end: Int

    /// The number of bytes read so far.
    @inlinable public var position: Int { _position }

    @usableFromInline var _position = 0

    /// Makes a reader of `bytes`, which must stay valid as long as it is used.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes.baseAddress
        end = bytes.count
    }

    /// The number of bytes not yet read.
    @inlinable public var remaining: Int { end &- _position }

    /// Whether all bytes are read.
    @inlinable public var isAtEnd: Bool { _position == end }

    /// The bytes that were not yet read. They are valid as long as the bytes given to the reader.
    @inlinable
    public var rest: UnsafeRawBufferPointer {
        slice(from: _position, to: end)
    }

    /// The bytes between two positions that this reader has passed or can reach.
    @inlinable
    public func slice(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        precondition(start >= 0 && start <= end && end <= self.end, "A slice lies in its bytes")
        guard let base else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: base + start, count: end &- start)
    }

    @inlinable
    func require(_ count: Int) throws(CodecError) -> UnsafeRawPointer {
        // `remaining` cannot overflow: position never passes the end. A nil base has no bytes.
        guard count >= 0, count <= remaining, let base else { throw endError(count) }
        return base + _position
    }

    @usableFromInline
    @inline(never)
    func endError(_ count: Int) -> CodecError {
        .truncated(offset: _position, needed: count, available: remaining)
    }

    /// Reads one byte.
    @inlinable
    public mutating func readByte() throws(CodecError) -> UInt8 {
        let value = try require(1).load(as: UInt8.self)
        _position &+= 1
        return value
    }

    /// Reads `count` bytes in place. They are valid as long as the bytes given to the reader.
    @inlinable
    public mutating func readBytes(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
        guard count != 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let start = try require(count)
        _position &+= count
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Passes over `count` bytes.
    @inlinable
    public mutating func skip(_ count: Int) throws(CodecError) {
        guard count >= 0, count <= remaining else { throw endError(count) }
        _position &+= count
    }

    /// Reads a little-endian integer of full width.
    @inlinable
    public mutating func readLittleEndian<Integer: FixedWidthInteger>(
        _ type: Integer.Type = Integer.self
    ) throws(CodecError) -> Integer {
        let width = MemoryLayout<Integer>.size
        let value = Integer(littleEndian: try require(width).loadUnaligned(as: Integer.self))
        _position &+= width
        return value
    }

    /// Reads an unsigned integer written by ``ByteWriter/writeVarint(_:)``.
    ///
    /// A value has one form only: forms with needless trailing zero groups are refused, because
    /// equality of values is equality of bytes.
    @inlinable
    public mutating func readVarint() throws(CodecError) -> UInt64 {
        let first = try require(1).load(as: UInt8.self)
        if first < 0x80 {
            _position &+= 1
            return UInt64(first)
        }
        return try readLongVarint()
    }

    @usableFromInline
    mutating func readLongVarint() throws(CodecError) -> UInt64 {
        if let word = nextWord {
            // Two bytes, as most are: the second is neither zero, which would be needless, nor followed by others.
            let second = word &>> 8 & 0xFF
            if second &- 1 < 0x7F {
                _position &+= 2
                return second &<< 7 | word & 0x7F
            }
            let ends = ~word & ByteReader.leadingBits
            let bitCount = ends.trailingZeroBitCount &+ 1
            if ends != 0, bitCount <= remaining &* 8 {
                return try joinGroups(of: word, bitCount: bitCount)
            }
        }
        return try readVarintByByte()
    }

    /// The next eight bytes, or as many as remain with zeros behind them; nil where all bytes are fewer than eight.
    private var nextWord: UInt64? {
        let width = MemoryLayout<UInt64>.size
        guard let base, end >= width else { return nil }
        let start = min(_position, end &- width)
        let word = UInt64(littleEndian: (base + start).loadUnaligned(as: UInt64.self))
        return word &>> UInt64((_position &- start) &* 8)
    }

    private static var leadingBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The value whose groups of seven bits stand in the lowest bytes of a word: neighbours are moved together, then
    /// pairs of them, then those of pairs. All at once, where byte by byte takes thirteen instructions for each.
    ///
    /// - Parameter bitCount: of those bytes, two to eight.
    private mutating func joinGroups(of word: UInt64, bitCount: Int) throws(CodecError) -> UInt64 {
        let kept = word & (UInt64.max &>> UInt64(64 &- bitCount))
        guard kept &>> UInt64(bitCount &- 8) != 0 else {
            throw .varintNotCanonical(offset: _position)
        }
        _position &+= bitCount &>> 3
        let groups = kept & ~ByteReader.leadingBits
        let pairs = groups & 0x007F_007F_007F_007F | (groups & 0x7F00_7F00_7F00_7F00) &>> 1
        let fours = pairs & 0x0000_3FFF_0000_3FFF | (pairs & 0x3FFF_0000_3FFF_0000) &>> 2
        return fours & 0x0000_0000_0FFF_FFFF | (fours & 0x0FFF_FFFF_0000_0000) &>> 4
    }

    /// For those of nine and ten bytes, for those that end too early, and where all bytes are fewer than eight.
    private mutating func readVarintByByte() throws(CodecError) -> UInt64 {
        let start = _position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var cursor = start
        while let base, cursor < end {
            let byte = base.load(fromByteOffset: cursor, as: UInt8.self)
            // The tenth byte holds bit 63 alone.
            guard shift < 63 || byte <= 1 else { throw .varintOverflow(offset: start) }
            value |= UInt64(byte & 0x7F) &<< shift
            cursor &+= 1
            if byte < 0x80 {
                guard byte != 0 || cursor == start &+ 1 else {
                    throw .varintNotCanonical(offset: start)
                }
                _position = cursor
                return value
            }
            shift &+= 7
        }
        throw .truncated(
            offset: start, needed: cursor &- start &+ 1, available: cursor &- start)
    }

    /// Reads a signed integer written by ``ByteWriter/writeSigned(_:)``.
    @inlinable
    public mutating func readSigned() throws(CodecError) -> Int64 {
        let zigzag = try readVarint()
        return Int64(bitPattern: zigzag &>> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    /// Reads a length that must fit in what remains.
    @inlinable
    public mutating func readLength() throws(CodecError) -> Int {
        let start = _position
        let value = try readVarint()
        guard value <= UInt64(remaining) else { throw lengthError(value, at: start) }
        return Int(truncatingIfNeeded: value)
    }

    /// Reads a count of elements.
    ///
    /// An element takes at least one byte as a rule, so no count above what remains is believed:
    /// a hostile count must neither reserve memory nor keep a loop busy. Elements that take no
    /// byte at all (structures without fields) are allowed in small numbers.
    @inlinable
    public mutating func readCount() throws(CodecError) -> Int {
        let start = _position
        let value = try readVarint()
        guard value <= UInt64(remaining) || value <= UInt64(Self.weightlessLimit) else {
            throw lengthError(value, at: start)
        }
        return Int(truncatingIfNeeded: value)
    }

    /// The largest number of elements of an array that together take no bytes.
    @inlinable public static var weightlessLimit: Int { 256 }

    @usableFromInline
    @inline(never)
    func lengthError(_ length: UInt64, at offset: Int) -> CodecError {
        .lengthOutOfRange(offset: offset, length: length, available: remaining)
    }

    /// Reads a length and that many bytes in place.
    // Inlined: most texts and ids take this path, and the calls took a sixth of the time in which a row is read.
    @inlinable @inline(__always)
    public mutating func readLengthPrefixed() throws(CodecError) -> UnsafeRawBufferPointer {
        if let base, _position < end {
            let length = Int((base + _position).load(as: UInt8.self))
            // One byte of length, and all that it announces.
            if length < 0x80, length < remaining {
                let start = base + (_position &+ 1)
                _position &+= 1 &+ length
                return UnsafeRawBufferPointer(start: start, count: length)
            }
        }
        return try readLongLengthPrefixed()
    }

    @usableFromInline @inline(never)
    mutating func readLongLengthPrefixed() throws(CodecError) -> UnsafeRawBufferPointer {
        let length = try readLength()
        return try readBytes(length)
    }

    /// Reads a text written by ``ByteWriter/writeText(_:)``; bytes that are not UTF-8 are refused.
    @inlinable
    public mutating func readText() throws(CodecError) -> String {
        let start = _position
        let bytes = try readLengthPrefixed()
        let units = bytes.assumingMemoryBound(to: UInt8.self)
        // Most texts are ASCII, which needs no validation; and `validating` is generic code that asks
        // the runtime for metadata at every call, a sixth of the time that a store takes to open.
        if ByteReader.isASCII(bytes) { return ByteReader.text(of: units) }
        guard let text = String(validating: units, as: UTF8.self) else {
            throw CodecError.invalidUTF8(offset: start)
        }
        return text
    }

    /// Reads a text whose bytes are known to be UTF-8: others would be repaired.
    @inlinable
    mutating func readTextAgain() throws(CodecError) -> String {
        ByteReader.text(of: try readLengthPrefixed().assumingMemoryBound(to: UInt8.self))
    }

    /// A text of bytes that are UTF-8.
    @inlinable
    static func text(of units: UnsafeBufferPointer<UInt8>) -> String {
        // Small texts are the words of a string themselves, where these have 64 bits. Written there, those in ASCII take 70
        // to 100 instructions less than decoded, which puts them in byte by byte; longer ones take less when decoded.
        guard units.count <= 15 else { return String(decoding: units, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: units.count) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: UnsafeRawBufferPointer(units))
            return units.count
        }
    }

    /// Eight bytes at a time.
    @inlinable
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        var seen: UInt64 = 0
        while offset &+ 8 <= bytes.count {
            seen |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        if bytes.count >= 8 {
            // The last eight, of which some were seen already: faster than the rest one by one.
            seen |= bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
        } else {
            while offset < bytes.count {
                seen |= UInt64(bytes[offset])
                offset &+= 1
            }
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    /// Throws unless everything was read.
    @inlinable
    public func expectEnd() throws(CodecError) {
        guard isAtEnd else { throw .trailingBytes(offset: _position, count: remaining) }
    }
}
