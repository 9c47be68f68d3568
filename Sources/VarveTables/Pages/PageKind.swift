/// What a page is: the structure that it belongs to, and its level there.
///
/// A frame never changes its kind, so a number that was checked once against the kind of its place
/// leads to a page of that kind for good.
package struct PageKind: Hashable, Sendable, BitwiseCopyable {
    package enum Structure: UInt8, Sendable, BitwiseCopyable {
        /// Of a ``PageArray``. Level 1 names leaves.
        case rowNode = 1
        case linkNode = 2
        /// The level counts from the root down.
        case idNode = 3
        /// Level 0 is a leaf.
        case keyPage = 4
        case listPage = 5
        case rowLeaf = 6
        case linkLeaf = 7
        case idBucket = 8
        case largeContent = 9
    }

    /// Level in the lower four bits.
    let rawValue: UInt8

    static let levelMax = 15
    /// Raw values are below this.
    static let limit = 256

    /// A structure of more levels, which only tests of tiny pages have, counts no further.
    init(_ structure: Structure, level: Int = 0) {
        rawValue = structure.rawValue << 4 | UInt8(min(level, Self.levelMax))
    }

    /// Any byte. ``structure`` is nil where it is none of a kind.
    init(rawValue: UInt8) { self.rawValue = rawValue }

    var structure: Structure? { Structure(rawValue: rawValue >> 4) }
    var level: Int { Int(rawValue & 15) }

    /// The kind of the same structure at another level.
    func at(level: Int) -> PageKind {
        PageKind(rawValue: rawValue & 0xF0 | UInt8(min(level, Self.levelMax)))
    }
}
