/// The results of a query in sections of equal keys, in the order of the keys. No section is empty.
public struct ResultSections<Entity: EntityModelProtocol, Key: Sendable>: RandomAccessCollection,
    Sendable
{
    /// One section: a key and the results that have it.
    public struct Section: Sendable {
        /// The key that all results of the section have.
        public let key: Key
        /// Which part of ``ResultSections/list`` the section is.
        public let range: Range<Int>
        let list: ResultList<Entity>

        /// The number of results in the section.
        public var count: Int { range.count }

        /// The entity at a row of the section. O(log n).
        public subscript(row: Int) -> Entity { list[range.lowerBound + row] }

        /// O(k) for k entities, each found anew.
        public var entities: [Entity] { range.map { list[$0] } }
    }

    /// All results, section after section.
    public let list: ResultList<Entity>
    /// The key of each section.
    public let keys: [Key]
    /// Where each section begins, and where the last one ends.
    private let bounds: [Int]

    init(_ list: ResultList<Entity>, _ keys: [Key], _ bounds: [Int]) {
        self.list = list
        self.keys = keys
        self.bounds = bounds
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { keys.count }

    /// The section at a position. O(1).
    public subscript(section: Int) -> Section {
        Section(key: keys[section], range: range(of: section), list: list)
    }

    /// The entity at a position. O(log n).
    public subscript(position: SectionPosition) -> Entity { list[index(of: position)] }

    /// Where a position is in the whole list. O(1).
    ///
    /// - Precondition: the section exists, and has the row.
    public func index(of position: SectionPosition) -> Int {
        let range = range(of: position.section)
        precondition(
            position.row >= 0 && position.row < range.count, "a row outside of its section")
        return range.lowerBound + position.row
    }

    /// The section and the row of a position of the whole list. O(log s) for s sections.
    ///
    /// - Precondition: the position is one of the list.
    public func position(of index: Int) -> SectionPosition {
        precondition(index >= 0 && index < list.count, "a position outside of the list")
        var low = 0
        var high = keys.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if bounds[middle] <= index { low = middle } else { high = middle }
        }
        return SectionPosition(section: low, row: index - bounds[low])
    }

    func range(of section: Int) -> Range<Int> { bounds[section]..<bounds[section + 1] }

    func count(of section: Int) -> Int { bounds[section + 1] - bounds[section] }

    /// The section of a key; nil where no result has it. O(log s).
    func section(of key: Key, _ compare: (Key, Key) -> Int) -> Int? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            let order = compare(keys[middle], key)
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The list of a later state that has the same results.
    func following(_ list: ResultList<Entity>) -> ResultSections {
        ResultSections(list, keys, bounds)
    }
}
