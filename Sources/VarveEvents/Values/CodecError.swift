public import Foundation
internal import VarveText

/// Why a value could not be encoded or decoded.
///
/// Offsets count from the start of the bytes that the reader was given.
// Indirect, so that the error is one pointer and a throwing codec costs nothing while it succeeds.
public indirect enum CodecError: Error, Equatable, Sendable {
    /// The bytes end before the value does.
    case truncated(offset: Int, needed: Int, available: Int)
    /// A length or count that cannot be true.
    case lengthOutOfRange(offset: Int, length: UInt64, available: Int)
    /// A LEB128 integer in a longer form than needed.
    case varintNotCanonical(offset: Int)
    /// A LEB128 integer of more than 64 bits.
    case varintOverflow(offset: Int)
    /// An integer that its type cannot hold.
    case valueOutOfRange(offset: Int, typeName: String)
    /// A tag byte (of a Bool, an optional, an enumeration, a type) that does not exist.
    case invalidTag(offset: Int, found: UInt64, typeName: String)
    /// A text that is not UTF-8.
    case invalidUTF8(offset: Int)
    /// Bytes that are well formed and yet not a value of the type.
    case invalidValue(offset: Int, typeName: String)
    /// A set or dictionary whose elements are not in ascending order of their bytes.
    case notAscending(offset: Int)
    /// A type or JSON document nested deeper than ``StoredType/nestingLimit``.
    case nestingTooDeep(offset: Int, limit: Int)
    /// Bytes left over behind the value.
    case trailingBytes(offset: Int, count: Int)
    /// A value whose decoded form would have other bytes; it is refused when it is saved.
    case notRoundTrippable(property: String)
    /// A property whose type has no stored form.
    case notStorable(property: String, typeName: String)
    /// A `Codable` value that Foundation could not encode or decode.
    case jsonFailed(property: String, typeName: String, reason: String)
    /// A raw value that its type does not know.
    case unknownRawValue(offset: Int, typeName: String)
    /// The value of a property, given as JSON where it can be read without the app's types, that cannot be read as
    /// one of its type.
    case unreadableProperty(String, value: String, CodecError)
    /// A value of one type that cannot safely be turned into another.
    case notTranscodable(from: StoredType, to: StoredType, reason: String)
    /// A row from before a migration that this cannot make one of now.
    case notMigratable(reason: String)
}

extension CodecError {
    /// The place in the decoded bytes, for errors that have one.
    public var offset: Int? {
        switch self {
        case .truncated(let offset, _, _), .lengthOutOfRange(let offset, _, _),
            .varintNotCanonical(let offset), .varintOverflow(let offset),
            .valueOutOfRange(let offset, _), .invalidTag(let offset, _, _),
            .invalidUTF8(let offset), .invalidValue(let offset, _), .notAscending(let offset),
            .nestingTooDeep(let offset, _), .trailingBytes(let offset, _),
            .unknownRawValue(let offset, _):
            offset
        case .unreadableProperty(_, _, let error): error.offset
        case .notRoundTrippable, .notStorable, .jsonFailed, .notTranscodable, .notMigratable:
            nil
        }
    }

    /// Whether the value is well formed and may be one that a newer version of the app knows.
    package var isUnknownRawValue: Bool {
        switch self {
        case .unknownRawValue: true
        case .unreadableProperty(_, _, let reason): reason.isUnknownRawValue
        default: false
        }
    }

    /// The error with the name of the property, where the thrower could not know it.
    // Public because inlined codecs in clients call it.
    public func naming(_ property: String) -> CodecError {
        switch self {
        case .notRoundTrippable(""):
            .notRoundTrippable(property: property)
        case .notStorable("", let typeName):
            .notStorable(property: property, typeName: typeName)
        case .jsonFailed("", let typeName, let reason):
            .jsonFailed(property: property, typeName: typeName, reason: reason)
        default:
            self
        }
    }
}

extension CodecError: CustomStringConvertible {
    /// One sentence about what is wrong, with the offset where there is one.
    public var description: String { message.text }

    private var message: ErrorMessage { ErrorMessage(problem, suggestion) }

    private var problem: String {
        switch self {
        case .truncated(let offset, let needed, let available):
            "the bytes end at offset \(offset): \(needed) needed, \(available) left"
        case .lengthOutOfRange(let offset, let length, let available):
            "impossible length \(length) at offset \(offset), \(available.counted("byte")) left"
        case .varintNotCanonical(let offset):
            "an integer at offset \(offset) is written longer than needed"
        case .varintOverflow(let offset):
            "an integer at offset \(offset) has more than 64 bits"
        case .valueOutOfRange(let offset, let typeName):
            "the integer at offset \(offset) does not fit in \(typeName)"
        case .invalidTag(let offset, let found, let typeName):
            "tag \(found) at offset \(offset) does not exist in \(typeName)"
        case .invalidUTF8(let offset):
            "the text at offset \(offset) is not UTF-8"
        case .invalidValue(let offset, let typeName):
            "the bytes at offset \(offset) are not a value of \(typeName)"
        case .notAscending(let offset):
            "the elements at offset \(offset) are not in ascending order"
        case .nestingTooDeep(let offset, let limit):
            "nested deeper than \(limit) at offset \(offset)"
        case .trailingBytes(let offset, let count):
            "\(count.counted("byte")) left over at offset \(offset)"
        case .notRoundTrippable(let property):
            "the value of '\(property)' would read back as a different one"
        case .notStorable(let property, let typeName):
            "'\(property)' has type \(typeName), which has no stored form"
        case .jsonFailed(let property, let typeName, let reason):
            "'\(property)' of type \(typeName) as JSON: \(reason)"
        case .unknownRawValue(let offset, let typeName):
            "\(typeName) has no such raw value (offset \(offset))"
        case .unreadableProperty(let property, "", let error): "'\(property)': \(error)"
        case .unreadableProperty(let property, let value, let error):
            "'\(property)' is \(value): \(error)"
        case .notTranscodable(let from, let to, let reason):
            "\(from) cannot become \(to): \(reason)"
        case .notMigratable(let reason): reason
        }
    }

    // Of bytes there is no more to say: what is read, or written, says what to do with it.
    private var suggestion: String? {
        switch self {
        case .notStorable: "make it Storable or Codable"
        case .unreadableProperty(_, _, let error): error.suggestion
        default: nil
        }
    }
}

extension CodecError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
