/// Leads from page numbers to frames. A copy is a view of the same table.
///
/// Entries are kept in parts, each twice as long as the one before, so none ever moves: readers
/// look entries up while the writer adds others. An entry changes only while its number is free,
/// and no reader knows a free number.
package struct PageTable: BitwiseCopyable {
    private static let firstPartBits = 6
    private static let partCount = 32 - firstPartBits

    private let parts: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutableRawPointer?>?>

    static func allocate() -> PageTable {
        let parts = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutableRawPointer?>?>
            .allocate(capacity: partCount)
        parts.initialize(repeating: nil, count: partCount)
        return PageTable(parts: parts)
    }

    func deallocate() {
        for part in 0..<Self.partCount { parts[part]?.deallocate() }
        parts.deallocate()
    }

    /// The page with a number that is in use.
    @inline(__always)
    subscript(number: PageNumber) -> Page {
        guard let page = page(number) else { preconditionFailure("page \(number) is not in use") }
        return page
    }

    /// The page with a number that was given out before; nil where the number is free.
    @inline(__always)
    func page(_ number: PageNumber) -> Page? {
        let (part, index) = Self.position(number)
        return parts[part]?[index].map { Page(address: $0) }
    }

    /// Sets the entry of a number. The first number of a part makes the part.
    func set(_ number: PageNumber, to frame: UnsafeMutableRawPointer?) {
        let (part, index) = Self.position(number)
        if let entries = parts[part] {
            entries[index] = frame
        } else {
            parts[part] = Self.makePart(part, index: index, frame)
        }
    }

    private static func makePart(
        _ part: Int, index: Int, _ frame: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        let count = 1 << (part + firstPartBits)
        let entries = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
        // Numbers are given out in order: the rest stays untouched, and costs no memory, until then.
        entries.initialize(to: nil)
        (entries + index).initialize(to: frame)
        return entries
    }

    @inline(__always)
    private static func position(_ number: PageNumber) -> (part: Int, index: Int) {
        // Part p holds the numbers whose sum with 64 has p + 7 bits.
        let sum = UInt64(number.rawValue) &+ 1 &<< UInt64(firstPartBits)
        let bit = 63 &- sum.leadingZeroBitCount
        return (bit &- firstPartBits, Int(truncatingIfNeeded: sum) & ~(1 &<< bit))
    }
}
