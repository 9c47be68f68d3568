/// How two lists of sections differ, row by row, before rows of sections that came or went are left out.
struct SectionDifference {
    struct Move {
        let from: SectionPosition
        let to: SectionPosition
        /// Whether the row has other values, too.
        let isUpdated: Bool
    }

    /// Positions in the old list, ascending.
    var deleted: [SectionPosition] = []
    /// Positions in the new list, ascending.
    var inserted: [SectionPosition] = []
    /// In the order of the new list.
    var moved: [Move] = []
    /// Positions in the new list, ascending.
    var updated: [SectionPosition] = []
    /// Sections whose keys are gone, ascending.
    var deletedSections: [Int] = []
    /// Sections whose keys are new, ascending.
    var insertedSections: [Int] = []

    /// What a list is notified of: each row and each section once.
    ///
    /// - Complexity: that of the number of differences.
    func changes(
        oldCount: (Int) -> Int, newCount: (Int) -> Int
    ) -> SectionChanges {
        var isGone = Set(deletedSections)
        var isNew = Set(insertedSections)
        let pairs = movedSections(isGone, isNew, oldCount: oldCount, newCount: newCount)
        for pair in pairs {
            isGone.remove(pair.from)
            isNew.remove(pair.to)
        }
        let carried = Set(pairs.map(\.to))
        var deleted = deleted.filter { !isGone.contains($0.section) }
        var inserted = inserted.filter { !isNew.contains($0.section) }
        var updated = updated
        var moves: [SectionChanges.Move] = []
        for move in moved {
            if carried.contains(move.to.section) {
                if move.isUpdated { updated.append(move.to) }
                continue
            }
            switch (isGone.contains(move.from.section), isNew.contains(move.to.section)) {
            case (true, true): break
            case (true, false): inserted.append(move.to)
            case (false, true): deleted.append(move.from)
            case (false, false): moves.append(.init(from: move.from, to: move.to))
            }
        }
        return SectionChanges(
            deletedSections: isGone.sorted(), insertedSections: isNew.sorted(),
            movedSections: pairs, deleted: deleted.sorted(), inserted: inserted.sorted(),
            moved: moves, updated: updated.sorted())
    }

    /// Pairs of sections, one gone and one new, that have the same rows in the same order.
    private func movedSections(
        _ isGone: Set<Int>, _ isNew: Set<Int>, oldCount: (Int) -> Int, newCount: (Int) -> Int
    ) -> [SectionChanges.SectionMove] {
        guard !isGone.isEmpty, !isNew.isEmpty else { return [] }
        // By the new section: where its rows come from, and how many of them keep their row.
        var origins: [Int: (from: Int, count: Int)] = [:]
        for move in moved where isNew.contains(move.to.section) {
            let from = move.from.section
            guard isGone.contains(from), move.from.row == move.to.row else { continue }
            let origin = origins[move.to.section] ?? (from, 0)
            if origin.from == from { origins[move.to.section] = (from, origin.count + 1) }
        }
        return origins.sorted { $0.key < $1.key }.compactMap { to, origin in
            guard origin.count == newCount(to), origin.count == oldCount(origin.from) else {
                return nil
            }
            return .init(from: origin.from, to: to)
        }
    }
}
