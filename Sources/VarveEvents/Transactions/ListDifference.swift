/// What turns one list into another: removals by position in the old one, insertions by position
/// in the new one, both ascending. Elements that keep their order among each other stay; as few as
/// possible move. Elements are different from each other within a list.
package struct ListDifference<Element: Hashable> {
    package private(set) var removals: [(position: Int, element: Element)] = []
    package private(set) var insertions: [(position: Int, element: Element)] = []

    package var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    /// O(n) when the lists share all but one stretch, else O(n log n).
    package init(from old: [Element], to new: [Element]) {
        var prefix = 0
        while prefix < min(old.count, new.count), old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(old.count, new.count) - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        let oldMiddle = prefix..<(old.count - suffix)
        let newMiddle = prefix..<(new.count - suffix)
        guard !oldMiddle.isEmpty, !newMiddle.isEmpty else {
            removals = oldMiddle.map { ($0, old[$0]) }
            insertions = newMiddle.map { ($0, new[$0]) }
            return
        }
        let kept = Self.kept(old, oldMiddle, new, newMiddle)
        removals = oldMiddle.filter { !kept.old.contains($0) }.map { ($0, old[$0]) }
        insertions = newMiddle.filter { !kept.new.contains($0) }.map { ($0, new[$0]) }
    }

    /// Positions of elements that are in both stretches and may stay: a longest run of them whose
    /// order is the same, found as the longest ascending subsequence of old positions.
    private static func kept(
        _ old: [Element], _ oldMiddle: Range<Int>, _ new: [Element], _ newMiddle: Range<Int>
    ) -> (old: Set<Int>, new: Set<Int>) {
        var oldPositions: [Element: Int] = [:]
        for position in oldMiddle { oldPositions[old[position]] = position }
        // The last pair of the best run of each length, and each pair's predecessor.
        var tails: [Int] = []
        var pairs: [(old: Int, new: Int, previous: Int?)] = []
        for position in newMiddle {
            guard let oldPosition = oldPositions[new[position]] else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if pairs[tails[middle]].old < oldPosition {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            pairs.append((oldPosition, position, low > 0 ? tails[low - 1] : nil))
            if low == tails.count {
                tails.append(pairs.count - 1)
            } else {
                tails[low] = pairs.count - 1
            }
        }
        var kept: (old: Set<Int>, new: Set<Int>) = ([], [])
        var next = tails.last
        while let index = next {
            kept.old.insert(pairs[index].old)
            kept.new.insert(pairs[index].new)
            next = pairs[index].previous
        }
        return kept
    }
}
