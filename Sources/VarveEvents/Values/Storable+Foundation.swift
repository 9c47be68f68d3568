public import Foundation

extension String: Storable {
    @inlinable public static var storedType: StoredType { .string }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeText(self)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> String {
        try reader.readText()
    }

    @inlinable
    public static func sameBytes(_ first: String, _ second: String) -> Bool {
        // The same words are the same text: a small one, or the same object on the heap.
        if hasSameWords(first, second) { return true }
        return sameContent(first, second)
    }

    @inlinable @inline(__always)
    static func hasSameWords(_ first: String, _ second: String) -> Bool {
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        let first = unsafeBitCast(first, to: (UInt64, UInt64).self)
        let second = unsafeBitCast(second, to: (UInt64, UInt64).self)
        return first.0 == second.0 && first.1 == second.1
    }

    @usableFromInline
    static func sameContent(_ first: String, _ second: String) -> Bool {
        let same = first.utf8.withContiguousStorageIfAvailable { left in
            second.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        if let same, let same { return same }
        return first.utf8.elementsEqual(second.utf8)
    }
}

extension Data: Storable {
    public static var storedType: StoredType { .data }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeCount(count)
        withUnsafeBytes { writer.write($0) }
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> Data {
        Data(try reader.readLengthPrefixed())
    }

    public static func sameBytes(_ first: Data, _ second: Data) -> Bool { first == second }
}

extension Date: Storable {
    @inlinable public static var storedType: StoredType { .date }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        try timeIntervalSinceReferenceDate.store(into: &writer)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Date {
        Date(timeIntervalSinceReferenceDate: try Double.load(from: &reader))
    }

    @inlinable
    public static func sameBytes(_ first: Date, _ second: Date) -> Bool {
        Double.sameBytes(
            first.timeIntervalSinceReferenceDate, second.timeIntervalSinceReferenceDate)
    }
}

extension UUID: Storable {
    @inlinable public static var storedType: StoredType { .uuid }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        withUnsafeBytes(of: uuid) { writer.write($0) }
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UUID {
        UUID(uuid: try reader.readBytes(16).loadUnaligned(as: uuid_t.self))
    }

    @inlinable
    public static func sameBytes(_ first: UUID, _ second: UUID) -> Bool { first == second }
}

/// Written as its absolute form; a base URL becomes part of it.
extension URL: Storable {
    public static var storedType: StoredType { .url }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        let text = absoluteString
        // A URL that Foundation would not read back must not be lost at the next launch.
        guard let again = URL(string: text), String.sameBytes(again.absoluteString, text) else {
            throw .notRoundTrippable(property: "")
        }
        writer.writeText(text)
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> URL {
        let start = reader.position
        let text = try reader.readText()
        guard let url = URL(string: text), String.sameBytes(url.absoluteString, text) else {
            throw .invalidValue(offset: start, typeName: "URL")
        }
        return url
    }

    public static func sameBytes(_ first: URL, _ second: URL) -> Bool {
        String.sameBytes(first.absoluteString, second.absoluteString)
    }
}

/// Written as its digits, which are the same on every platform.
extension Decimal: Storable {
    public static var storedType: StoredType { .decimal }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        let text = description
        guard let again = Decimal(storedText: text), again == self || (again.isNaN && isNaN) else {
            throw .notRoundTrippable(property: "")
        }
        writer.writeText(text)
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> Decimal {
        let start = reader.position
        let text = try reader.readText()
        guard let value = Decimal(storedText: text) else {
            throw .invalidValue(offset: start, typeName: "Decimal")
        }
        return value
    }

    /// A decimal of its one stored text: other spellings of the same number give nil.
    init?(storedText text: String) {
        if text == "NaN" {
            self = .nan
        } else if let value = Decimal(string: text, locale: nil),
            String.sameBytes(value.description, text)
        {
            self = value
        } else {
            return nil
        }
    }
}
