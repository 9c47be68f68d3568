/// A position in a list of sections: which section, and which row of it. Both count from 0.
public struct SectionPosition: Sendable, Hashable {
    /// The position of the section among the sections.
    public let section: Int
    /// The position of the entity in its section.
    public let row: Int

    /// A position from its two numbers.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }
}

extension SectionPosition: Comparable {
    /// Whether the first position is before the second, section after section.
    public static func < (first: Self, second: Self) -> Bool {
        (first.section, first.row) < (second.section, second.row)
    }
}

extension SectionPosition: CustomStringConvertible {
    /// The two numbers, as in "2.17".
    public var description: String { "\(section).\(row)" }
}
