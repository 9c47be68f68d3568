/// A type with a binary stored form.
///
/// The form delimits itself: a reader that knows the type finds the end of the value. Equal means
/// equal bytes, never `==`: `-0.0` differs from `0.0`, a NaN equals itself, and two Unicode forms
/// of one text differ.
///
/// A type whose stored type would contain itself cannot conform, for its description would not
/// end; let such a type be `Codable`, which is stored as JSON.
public protocol Storable: Sendable {
    /// How the log describes values of this type. It must be the same each time.
    static var storedType: StoredType { get }

    /// Appends the value's bytes.
    func store(into writer: inout ByteWriter) throws(CodecError)

    /// Reads the bytes that ``store(into:)`` wrote.
    ///
    /// The same bytes give the same value each time, and ask nothing but the bytes: a row that was read
    /// when a store was opened is read again when it is looked at, and cannot fail then. That also goes for
    /// `init(rawValue:)` of a type that is stored as its raw value. A saved value may be read back as soon as
    /// its transaction has ended: `==`, `hash(into:)` and `<` look at nothing that ``store(into:)`` leaves out.
    static func load(from reader: inout ByteReader) throws(CodecError) -> Self

    /// Whether two values have the same bytes. The default encodes both.
    static func sameBytes(_ first: Self, _ second: Self) -> Bool
}

extension Storable {
    public static func sameBytes(_ first: Self, _ second: Self) -> Bool {
        EncodedComparison.sameBytes(
            { writer throws(CodecError) in try first.store(into: &writer) },
            { writer throws(CodecError) in try second.store(into: &writer) })
    }

    /// A copy of the value's bytes.
    public func storedBytes() throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try store(into: &writer)
        return writer.copyBytes()
    }

    /// Decodes a value that takes all of `bytes`.
    public static func load(storedBytes bytes: [UInt8]) throws(CodecError) -> Self {
        try bytes.withReader { reader throws(CodecError) in
            let value = try Self.load(from: &reader)
            try reader.expectEnd()
            return value
        }
    }
}

extension [UInt8] {
    /// Calls `body` with a reader of the array's bytes.
    package func withReader<Result, Failure: Error>(
        _ body: (inout ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The array's own method does not carry a typed error out of its closure.
        let outcome: Swift.Result<Result, Failure> = withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            do throws(Failure) {
                return .success(try body(&reader))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

/// Comparison of two values by what they encode to.
enum EncodedComparison {
    /// A value that cannot be encoded counts as different: saving it then names the reason.
    static func sameBytes(
        _ first: (inout ByteWriter) throws(CodecError) -> Void,
        _ second: (inout ByteWriter) throws(CodecError) -> Void
    ) -> Bool {
        var writer = ByteWriter()
        do throws(CodecError) {
            try first(&writer)
            let middle = writer.count
            try second(&writer)
            return writer.withBytes { bytes in
                UnsafeRawBufferPointer(rebasing: bytes[..<middle])
                    .hasSameBytes(as: UnsafeRawBufferPointer(rebasing: bytes[middle...]))
            }
        } catch {
            return false
        }
    }
}
