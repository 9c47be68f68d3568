/// How one list of sections became the next, in the terms of lists that animate: each row and each section is in at
/// most one of the parts.
///
/// The rows of a deleted section are not among the deleted ones, and those of an inserted section not among the
/// inserted ones. Take the rows and sections that were deleted or moved out of the old list. Put in the sections that
/// were inserted or moved, then the rows, in ascending order. Reload what was updated or moved. The old list has become
/// the new one.
public struct SectionChanges: Sendable, Hashable {
    /// An entity that has another place among the others, or another section. It may have other values too.
    public struct Move: Sendable, Hashable {
        /// Its position in the old list.
        public let from: SectionPosition
        /// Its position in the new list.
        public let to: SectionPosition

        package init(from: SectionPosition, to: SectionPosition) {
            self.from = from
            self.to = to
        }
    }

    /// A section whose key changed, with all of its entities and no others.
    public struct SectionMove: Sendable, Hashable {
        /// Its position in the old list.
        public let from: Int
        /// Its position in the new list.
        public let to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Sections that are gone: positions in the old list, ascending.
    public let deletedSections: [Int]
    /// Sections that are new: positions in the new list, ascending.
    public let insertedSections: [Int]
    /// Sections with another key, in the order of the new list. Reload their headers.
    public let movedSections: [SectionMove]
    /// Entities that left a section which is still there: positions in the old list, ascending.
    public let deleted: [SectionPosition]
    /// Entities that came to a section which was there: positions in the new list, ascending.
    public let inserted: [SectionPosition]
    /// Entities that moved between sections that were there and still are, or inside one; in the order of the new list.
    public let moved: [Move]
    /// Entities with other values in their old place: positions in the new list, ascending.
    public let updated: [SectionPosition]

    package init(
        deletedSections: [Int] = [], insertedSections: [Int] = [],
        movedSections: [SectionMove] = [], deleted: [SectionPosition] = [],
        inserted: [SectionPosition] = [], moved: [Move] = [], updated: [SectionPosition] = []
    ) {
        self.deletedSections = deletedSections
        self.insertedSections = insertedSections
        self.movedSections = movedSections
        self.deleted = deleted
        self.inserted = inserted
        self.moved = moved
        self.updated = updated
    }

    /// The changes of a first list, in which all sections are new.
    package init(allInserted count: Int) { self.init(insertedSections: Array(0..<count)) }

    /// Whether the two lists are equal.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty
            && deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }
}

extension ResultSections {
    /// Turns a copy of the old list, section by section, into this one.
    ///
    /// - Parameters:
    ///   - changes: what turns the old list into this one.
    ///   - old: the old list.
    ///   - element: returns the element at a position of the new list; called for those that are new, moved or updated.
    /// - Complexity: that of the length of both lists, and for each row that came that of its section.
    public func applying<Element>(
        _ changes: SectionChanges, to old: [[Element]],
        _ element: (SectionPosition) throws -> Element
    ) rethrows -> [[Element]] {
        var sections = old.map { $0.map(Optional.some) }
        for position in changes.deleted + changes.moved.map(\.from) {
            sections[position.section][position.row] = nil
        }
        let left = Set(changes.deletedSections + changes.movedSections.map(\.from))
        var kept = sections.indices.filter { !left.contains($0) }
            .map { sections[$0].compactMap { $0 } }[...]
        let inserted = Set(changes.insertedSections)
        let origins = Dictionary(
            uniqueKeysWithValues: changes.movedSections.map { ($0.to, $0.from) })
        var new: [[Element]] = []
        for section in indices {
            if let origin = origins[section] {
                new.append(sections[origin].compactMap { $0 })
            } else if inserted.contains(section) {
                new.append(
                    try (0..<count(of: section)).map {
                        try element(SectionPosition(section: section, row: $0))
                    })
            } else {
                new.append(kept.removeFirst())
            }
        }
        for position in (changes.inserted + changes.moved.map(\.to)).sorted() {
            new[position.section].insert(try element(position), at: position.row)
        }
        for position in changes.updated {
            new[position.section][position.row] = try element(position)
        }
        return new
    }
}
