import Testing
import Varve

/// A list that knows what it shows only from batches of changes, and accepts no others than UIKit's lists do: the
/// recipe of Docs/LIVE.md.
struct BatchList<Row> {
    private(set) var sections: [[Row]] = []

    /// Performs a batch. Where it breaks a rule, the test fails.
    mutating func perform(
        _ changes: SectionChanges, counts: [Int], _ place: Comment,
        _ row: (SectionPosition) -> Row
    ) {
        checkMentions(changes, counts, place)
        // Rows go by their old positions, the last one first, then sections.
        let goneRows = changes.deleted + changes.moved.map(\.from)
        for position in goneRows.sorted().reversed() {
            sections[position.section].remove(at: position.row)
        }
        let moved = Dictionary(
            uniqueKeysWithValues: changes.movedSections.map { ($0.to, sections[$0.from]) })
        let goneSections = changes.deletedSections + changes.movedSections.map(\.from)
        for section in goneSections.sorted().reversed() { sections.remove(at: section) }
        // Sections come by their new positions, the first one first, then rows.
        for section in (changes.insertedSections + moved.keys).sorted() {
            let new = (0..<counts[section]).map { row(SectionPosition(section: section, row: $0)) }
            sections.insert(moved[section] ?? new, at: section)
        }
        for position in (changes.inserted + changes.moved.map(\.to)).sorted() {
            sections[position.section].insert(row(position), at: position.row)
        }
        // What has other values is loaded again, by its new position.
        for position in changes.updated + changes.moved.map(\.to) {
            sections[position.section][position.row] = row(position)
        }
        #expect(sections.map(\.count) == counts, place)
    }

    private func checkMentions(_ changes: SectionChanges, _ counts: [Int], _ place: Comment) {
        let oldSections = changes.deletedSections + changes.movedSections.map(\.from)
        let newSections = changes.insertedSections + changes.movedSections.map(\.to)
        let oldRows = changes.deleted + changes.moved.map(\.from)
        let newRows = changes.inserted + changes.moved.map(\.to) + changes.updated
        #expect(Set(oldSections).count == oldSections.count, place)
        #expect(Set(newSections).count == newSections.count, place)
        #expect(Set(oldRows).count == oldRows.count, "a row left twice, \(place)")
        #expect(Set(newRows).count == newRows.count, "a row came twice, \(place)")
        #expect(oldRows.allSatisfy { !oldSections.contains($0.section) }, place)
        #expect(newRows.allSatisfy { !changes.insertedSections.contains($0.section) }, place)
        #expect(
            (changes.inserted + changes.moved.map(\.to)).allSatisfy {
                !newSections.contains($0.section)
            }, place)
        #expect(oldRows.allSatisfy { $0.row < sections[$0.section].count }, place)
        #expect(newRows.allSatisfy { $0.row < counts[$0.section] }, place)
        #expect(changes.deleted == changes.deleted.sorted(), place)
        #expect(changes.inserted == changes.inserted.sorted(), place)
        #expect(changes.updated == changes.updated.sorted(), place)
    }
}
