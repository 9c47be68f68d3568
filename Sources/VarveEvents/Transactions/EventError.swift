/// Why the bytes of a transaction cannot be read. Offsets count from its first byte.
package indirect enum EventError: Error, Equatable, Sendable {
    /// A part is cut off or not well formed.
    case malformed(CodecError)
    /// A form of transactions that this version does not know.
    case unknownForm(offset: Int, found: UInt8)
    /// An event that this version does not know and must not ignore.
    case unknownEvent(offset: Int, tag: UInt8)
    case entityOutOfRange(offset: Int, index: UInt64, count: Int)
    /// A position outside of its list, or a list longer than it can be.
    case positionOutOfRange(offset: Int)
    /// A previous version that is not earlier.
    case previousOutOfRange(offset: Int)
    /// A part in another form than the one that writers choose.
    case notCanonical(offset: Int)

    package var offset: Int {
        switch self {
        case .malformed(let error): error.offset ?? 0
        case .unknownForm(let offset, _), .unknownEvent(let offset, _),
            .entityOutOfRange(let offset, _, _), .positionOutOfRange(let offset),
            .previousOutOfRange(let offset), .notCanonical(let offset):
            offset
        }
    }
}

extension EventError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let error):
            "\(error)"
        case .unknownForm(let offset, let found):
            "transactions of form \(found) at offset \(offset) need a newer version"
        case .unknownEvent(let offset, let tag):
            "events of tag \(tag) at offset \(offset) need a newer version"
        case .entityOutOfRange(let offset, let index, let count):
            "entity \(index) at offset \(offset) is not one of the \(count) in the table"
        case .positionOutOfRange(let offset):
            "the position at offset \(offset) is outside of its list"
        case .previousOutOfRange(let offset):
            "the previous version at offset \(offset) is not earlier"
        case .notCanonical(let offset):
            "the part at offset \(offset) is not in the form that writers choose"
        }
    }
}
