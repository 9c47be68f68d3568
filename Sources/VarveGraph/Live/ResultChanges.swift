/// How one list of results became the next.
///
/// Take the entities at `deleted` and those that moved out of the old list, put those at `inserted`
/// and those that moved into the new list, in ascending order, and reload those at `updated`: the old
/// list has become the new one.
public struct ResultChanges: Sendable, Hashable {
    /// An entity whose place among the others changed. It may have other values too.
    public struct Move: Sendable, Hashable {
        /// Its position in the old list.
        public let from: Int
        /// Its position in the new list.
        public let to: Int
    }

    /// Positions in the old list, ascending.
    public let deleted: [Int]
    /// Positions in the new list, ascending.
    public let inserted: [Int]
    /// In the order of their positions in the new list.
    public let moved: [Move]
    /// Positions in the new list, ascending, of entities that have other values than before and have
    /// not moved.
    public let updated: [Int]

    package init(
        deleted: [Int] = [], inserted: [Int] = [], moved: [Move] = [], updated: [Int] = []
    ) {
        self.deleted = deleted
        self.inserted = inserted
        self.moved = moved
        self.updated = updated
    }

    /// Whether the two lists are equal.
    public var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Turns a copy of the old list into the new one.
    ///
    /// - Parameters:
    ///   - old: the old list.
    ///   - element: returns the element at a position of the new list; called for those that are new, moved or updated.
    /// - Complexity: linear in the length of both lists.
    public func apply<Element>(
        to old: [Element], _ element: (Int) throws -> Element
    ) rethrows -> [Element] {
        var gone = Set(deleted)
        for move in moved { gone.insert(move.from) }
        let come = (inserted + moved.map(\.to)).sorted()
        var new: [Element] = []
        new.reserveCapacity(old.count - gone.count + come.count)
        var next = 0
        func takeArrivals() throws {
            while next < come.count, come[next] == new.count {
                new.append(try element(new.count))
                next += 1
            }
        }
        for (position, value) in old.enumerated() where !gone.contains(position) {
            try takeArrivals()
            new.append(value)
        }
        try takeArrivals()
        for position in updated { new[position] = try element(position) }
        return new
    }
}

extension ResultChanges {
    /// A first list: everything is new.
    package init(allInserted count: Int) { self.init(inserted: Array(0..<count)) }
}
