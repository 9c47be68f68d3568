/// The number of an entity type in one log: from 1, in order, never reused.
package struct TypeNumber: Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The number of a field within its type: from 1, in order, never reused.
package struct FieldNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The number of a relation within its type: from 1, in order, never reused.
package struct RelationNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The id of a transaction: dense, from 1. 0 means "before the first".
public struct TransactionID: Hashable, Comparable, Sendable, Codable {
    /// The number itself.
    public let rawValue: UInt64

    /// The id with this number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the first transaction was made before the second.
    public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

extension TransactionID {
    /// Whether a log that keeps the transactions from `floor` on leads back to the state behind this one: it
    /// does so to the state that the first of them was made in.
    package func isReachable(from floor: TransactionID) -> Bool {
        // In this order: the number may be any.
        self >= floor || rawValue + 1 == floor.rawValue
    }
}

extension TransactionID: ExpressibleByIntegerLiteral {
    /// The id with this number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}

extension TransactionID: LosslessStringConvertible {
    /// The number that `description` writes; nil for any other text.
    public init?(_ description: String) {
        guard let number = UInt64(description) else { return nil }
        self.init(number)
    }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

/// An entity's place in the default order of its type: from 1, given once at its insertion.
package struct Ordinal: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

extension TypeNumber: CustomStringConvertible {
    package var description: String { String(rawValue) }
}

extension FieldNumber: CustomStringConvertible {
    package var description: String { String(rawValue) }
}

extension RelationNumber: CustomStringConvertible {
    package var description: String { String(rawValue) }
}

extension Ordinal: CustomStringConvertible {
    package var description: String { String(rawValue) }
}
