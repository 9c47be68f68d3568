/// Names a page of a ``PageStore``. A page keeps its number as long as it lives.
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Names no page. It is zero, so that a node filled with zeros names none.
    package static let none = PageNumber(0)

    /// Numbers stay below this. The highest bit is free for a structure's own mark.
    static let limit: UInt32 = 1 << 31
}

/// Names a version of all pages: the transactions that were published, in their order.
package struct PageVersion: Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

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
