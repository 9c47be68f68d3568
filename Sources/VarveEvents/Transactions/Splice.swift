/// The change of a long text as what differs: one keystroke does not cost the text's length.
///
/// A value is a head (its length, and the tags of optionals) and content; the contents share a
/// prefix and a suffix. Checksums of both whole values show that it is put together right.
package struct Splice {
    /// Which of the two values is made of the other.
    package enum Direction: Sendable {
        case toNew, toOld
    }

    package let oldHead: UnsafeRawBufferPointer
    package let newHead: UnsafeRawBufferPointer
    package let prefixLength: Int
    package let suffixLength: Int
    package let oldMiddle: UnsafeRawBufferPointer
    package let newMiddle: UnsafeRawBufferPointer
    package let oldChecksum: UInt32
    package let newChecksum: UInt32

    /// Values up to this many bytes are logged whole.
    package static let threshold = 1_024

    /// What a splice costs beside the middles, roughly; less in common is not worth one.
    package static let overhead = 32

    /// A common beginning or end is shorter; what more is in common stands in the middles. The sum of
    /// all parts of a value must not overflow, on 32-bit platforms either.
    static let sharedLengthLimit = 1 << 29

    /// The splice between two values of a length-prefixed type; nil if it would not pay.
    init?(type: StoredType, old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer) {
        guard max(old.count, new.count) > Self.threshold, type.isLengthPrefixed else { return nil }
        let oldHeadLength = type.headLength(of: old)
        let newHeadLength = type.headLength(of: new)
        let oldContent = UnsafeRawBufferPointer(rebasing: old[oldHeadLength...])
        let newContent = UnsafeRawBufferPointer(rebasing: new[newHeadLength...])
        let common = CommonBytes(oldContent, newContent, limit: Self.sharedLengthLimit - 1)
        guard common.prefix + common.suffix > Self.overhead else { return nil }
        func middle(_ content: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                rebasing: content[common.prefix..<(content.count - common.suffix)])
        }
        oldHead = UnsafeRawBufferPointer(rebasing: old[..<oldHeadLength])
        newHead = UnsafeRawBufferPointer(rebasing: new[..<newHeadLength])
        prefixLength = common.prefix
        suffixLength = common.suffix
        oldMiddle = middle(oldContent)
        newMiddle = middle(newContent)
        oldChecksum = Checksum.crc32c(old)
        newChecksum = Checksum.crc32c(new)
    }

    func encode(into writer: inout ByteWriter) {
        writer.writeLengthPrefixed(oldHead)
        writer.writeLengthPrefixed(newHead)
        writer.writeCount(prefixLength)
        writer.writeCount(suffixLength)
        writer.writeLengthPrefixed(oldMiddle)
        writer.writeLengthPrefixed(newMiddle)
        writer.write(littleEndian: oldChecksum)
        writer.write(littleEndian: newChecksum)
    }

    /// A copy of what ``init(from:)`` reads.
    package var encodedBytes: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.copyBytes()
    }

    package init(from reader: inout ByteReader) throws(CodecError) {
        oldHead = try reader.readLengthPrefixed()
        newHead = try reader.readLengthPrefixed()
        prefixLength = try reader.readSharedLength()
        suffixLength = try reader.readSharedLength()
        oldMiddle = try reader.readLengthPrefixed()
        newMiddle = try reader.readLengthPrefixed()
        oldChecksum = try reader.readLittleEndian()
        newChecksum = try reader.readLittleEndian()
    }

    /// Appends one of the two values to `writer`, given the other; false if `value` is not the one that the splice was
    /// made of.
    package func apply(
        _ direction: Direction = .toNew, to value: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) -> Bool {
        let (from, to) = direction == .toNew ? (oldSide, newSide) : (newSide, oldSide)
        // The lengths were bounded when they were read, so the sum does not overflow.
        let length = from.head.count + prefixLength + from.middle.count + suffixLength
        guard value.count == length, Checksum.crc32c(value) == from.checksum else { return false }
        let start = writer.count
        let prefixEnd = from.head.count + prefixLength
        writer.write(to.head)
        writer.write(UnsafeRawBufferPointer(rebasing: value[from.head.count..<prefixEnd]))
        writer.write(to.middle)
        writer.write(UnsafeRawBufferPointer(rebasing: value[(value.count - suffixLength)...]))
        let isRight = writer.withBytes { bytes in
            Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[start...])) == to.checksum
        }
        if !isRight { writer.truncate(to: start) }
        return isRight
    }

    /// Appends one of the two values, given the other, where both are values of the transcoder's target and the splice
    /// was made of values of its source; false if `value` is not the one that the splice was made of.
    package func apply(
        _ direction: Direction = .toNew, to value: UnsafeRawBufferPointer,
        through transcoder: Transcoder, into writer: inout ByteWriter
    ) throws(CodecError) -> Bool {
        if transcoder.isIdentity { return apply(direction, to: value, into: &writer) }
        guard let source = transcoder.sourceBytes(of: value) else { return false }
        var result = ByteWriter(capacity: max(value.count, 1))
        guard source.withUnsafeBytes({ apply(direction, to: $0, into: &result) })
        else { return false }
        writer.write(try transcoder.transcode(result.copyBytes()))
        return true
    }

    private typealias Side = (
        head: UnsafeRawBufferPointer, middle: UnsafeRawBufferPointer, checksum: UInt32
    )

    private var oldSide: Side { (oldHead, oldMiddle, oldChecksum) }

    private var newSide: Side { (newHead, newMiddle, newChecksum) }
}

extension ByteReader {
    /// The length of something that lies elsewhere: no more than a value can have.
    fileprivate mutating func readSharedLength() throws(CodecError) -> Int {
        let offset = position
        let length = try readVarint()
        guard length < UInt64(Splice.sharedLengthLimit) else {
            throw .lengthOutOfRange(offset: offset, length: length, available: remaining)
        }
        return Int(truncatingIfNeeded: length)
    }
}
