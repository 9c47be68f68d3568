public import VarveGraph

/// The results of a query in sections of equal keys, in the order of the keys.
public struct ResultSections<Entity: EntityModelProtocol, Key: Comparable & Sendable>:
    RandomAccessCollection, Sendable
{
    /// One section: a key and the results that have it.
    public struct Section: Sendable {
        /// The key that all results of the section have.
        public let key: Key
        /// Where the section lies in ``ResultSections/list``.
        public let range: Range<Int>
        let list: ResultList<Entity>

        /// The number of results in the section.
        public var count: Int { range.count }

        /// The entity at a position within the section. O(log n).
        public subscript(position: Int) -> Entity { list[range.lowerBound + position] }

        /// O(k) for k entities, each found anew.
        public var entities: [Entity] { range.map { list[$0] } }
    }

    /// All results, section after section.
    public let list: ResultList<Entity>
    /// The key of each section, ascending.
    public let keys: [Key]
    /// Where each section begins, and where the last one ends.
    private let bounds: [Int]

    /// Finds the borders of a list that is sorted by the key. O(s log² n) for s sections.
    init(_ list: ResultList<Entity>, _ key: KeyPath<Entity, Key>) {
        self.list = list
        var keys: [Key] = []
        var bounds = [0]
        var start = 0
        while start < list.count {
            let current = Entity._read(key, of: list[start])
            keys.append(Entity._presented(current))
            start = list.end(ofSectionAt: start) { !(current < Entity._read(key, of: $0)) }
            bounds.append(start)
        }
        self.keys = keys
        self.bounds = bounds
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { keys.count }

    /// The section at a position. O(1).
    public subscript(position: Int) -> Section {
        Section(key: keys[position], range: bounds[position]..<bounds[position + 1], list: list)
    }

    /// Where a position of the whole list lies: which section, and where in it.
    public func place(of position: Int) -> (section: Int, position: Int) {
        precondition(position >= 0 && position < list.count, "a position outside of the list")
        var low = 0
        var high = keys.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if bounds[middle] <= position { low = middle } else { high = middle }
        }
        return (low, position - bounds[low])
    }
}

extension ResultList {
    /// The first position behind `start` whose entity is not of the section; those that are come first.
    fileprivate func end(ofSectionAt start: Int, _ isInside: (Entity) -> Bool) -> Int {
        var inside = start
        var step = 1
        while inside + step < count, isInside(self[inside + step]) {
            inside += step
            step *= 2
        }
        var outside = Swift.min(inside + step, count)
        while inside + 1 < outside {
            let middle = (inside + outside) / 2
            if isInside(self[middle]) { inside = middle } else { outside = middle }
        }
        return outside
    }
}
