public import Foundation

/// Hashes of ids: always of the bytes that the id is stored as, whatever the path taken, so that
/// the hash of an id and of its bytes in a file agree. The key is this process's (``KeyedHash``).
extension _IDCodec {
    @inlinable
    public static func hash<ID: Storable>(_ id: ID) -> UInt64 {
        // Comparisons of types fold away wherever the compiler knows the id's type; each bit cast
        // is from a type to itself.
        if ID.self == String.self { return hashText(unsafeBitCast(id, to: String.self)) }
        if ID.self == Int.self { return hashSigned(Int64(unsafeBitCast(id, to: Int.self))) }
        if ID.self == UUID.self { return hashPlain(unsafeBitCast(id, to: UUID.self)) }
        if ID.self == Int64.self { return hashSigned(unsafeBitCast(id, to: Int64.self)) }
        if ID.self == UInt64.self { return hashVarint(unsafeBitCast(id, to: UInt64.self)) }
        if ID.self == Int32.self { return hashSigned(Int64(unsafeBitCast(id, to: Int32.self))) }
        if ID.self == UInt32.self { return hashVarint(UInt64(unsafeBitCast(id, to: UInt32.self))) }
        return hashEncoded(id)
    }

    @_disfavoredOverload
    @inlinable
    public static func hash<ID: RawRepresentable>(_ id: ID) -> UInt64
    where ID.RawValue: Storable {
        guard !(ID.self is any Storable.Type) else { return hashByLadder(id) ?? 0 }
        return hash(id.rawValue)
    }

    @_disfavoredOverload
    public static func hash<ID>(_ id: ID) -> UInt64 {
        hashByLadder(id) ?? InMemoryID.hash(id)
    }

    // nil if the id has no bytes. An id that cannot be encoded is refused when it is saved, under
    // whatever hash.
    @usableFromInline
    static func hashByLadder<ID>(_ id: ID) -> UInt64? {
        var writer = ByteWriter()
        do throws(CodecError) {
            try Ladder.codec(for: ID.self, isID: true).store(id, into: &writer)
        } catch {
            return nil
        }
        return writer.withBytes { KeyedHash.hash($0) }
    }

    @usableFromInline
    static func hashEncoded<ID: Storable>(_ id: ID) -> UInt64 {
        var writer = ByteWriter()
        do throws(CodecError) {
            try id.store(into: &writer)
        } catch {
            return 0
        }
        return writer.withBytes { KeyedHash.hash($0) }
    }

    // For types whose stored form is their memory.
    @usableFromInline
    static func hashPlain(_ id: UUID) -> UInt64 {
        withUnsafeBytes(of: id.uuid) { KeyedHash.hash($0) }
    }

    /// The hash of a text's stored form: its length and its UTF-8, put together on the stack.
    @usableFromInline
    static func hashText(_ text: String) -> UInt64 {
        let hashed = text.utf8.withContiguousStorageIfAvailable { hashStoredText($0) }
        if let hashed { return hashed }
        var native = text
        return native.withUTF8 { hashStoredText($0) }
    }

    private static func hashStoredText(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        // One byte of length, and no buffer on the stack: most ids.
        if text.count >= 16, text.count < 0x80, let base = text.baseAddress {
            return KeyedHash.hash(UInt8(truncatingIfNeeded: text.count), base, count: text.count)
        }
        return hashThroughBuffer(text)
    }

    private static func hashThroughBuffer(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: text.count + 10, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            let prefix = storeVarint(UInt64(text.count), at: base)
            if let source = text.baseAddress {
                (base + prefix).copyMemory(from: source, byteCount: text.count)
            }
            return KeyedHash.hash(UnsafeRawPointer(base), count: prefix + text.count)
        }
    }

    @usableFromInline
    static func hashVarint(_ value: UInt64) -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            return KeyedHash.hash(UnsafeRawPointer(base), count: storeVarint(value, at: base))
        }
    }

    @usableFromInline
    static func hashSigned(_ value: Int64) -> UInt64 {
        hashVarint(UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
    }

    /// Writes LEB128, at most 10 bytes, and returns how many.
    private static func storeVarint(_ value: UInt64, at base: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var count = 0
        while rest >= 0x80 {
            base.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count &+= 1
            rest &>>= 7
        }
        base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        return count &+ 1
    }
}
