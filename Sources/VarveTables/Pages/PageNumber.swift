/// Names a page of a ``PageStore``: the place where its frame begins. A page keeps its number as long
/// as it lives.
///
///     number   0 | chunk, 15 bits | unit of 64 bytes in the chunk, 16 bits
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    init(chunk: Int, offset: Int) {
        rawValue = UInt32(truncatingIfNeeded: chunk << Self.unitBits | offset >> Self.byteBits)
    }

    /// Names no page. It is zero, so that a node filled with zeros names none: no chunk has the
    /// number 0.
    package static let none = PageNumber(0)

    static let unitBits = 16
    /// Frames begin at multiples of 2 to the power of this.
    static let byteBits = 6
    /// Chunks have numbers below this. The highest bit of a page's number is free for a structure's own mark.
    static let chunkLimit = 1 << (31 - unitBits)

    var chunk: Int { Int(truncatingIfNeeded: rawValue &>> UInt32(Self.unitBits)) }

    /// In bytes, from the beginning of the chunk.
    var offset: Int { unit &<< Self.byteBits }

    var unit: Int { Int(truncatingIfNeeded: rawValue & (1 &<< UInt32(Self.unitBits) &- 1)) }
}

/// Names a version of all pages: the transactions that were published, in their order.
package struct PageVersion: Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first one that is published.
    static let none = PageVersion(0)

    var next: PageVersion { PageVersion(rawValue + 1) }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The position of an entity in its table: dense, from 0, given when its id is first mentioned.
package struct Slot: Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// A table has fewer slots: they are indices on 32-bit platforms too.
    package static let limit = Int(Int32.max)

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }

    var index: Int { Int(rawValue) }
}
