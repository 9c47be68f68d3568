/// Finds what turns one list of keys into another, with as few moves as there can be.
struct ListComparison {
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []
    private(set) var moved: [ResultChanges.Move] = []
    /// Those that stay: positions in both lists, ascending.
    private(set) var kept: [(old: Int, new: Int)] = []

    /// A key may occur several times.
    init(from old: ContiguousArray<UInt64>, to new: ContiguousArray<UInt64>) {
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        for position in 0..<prefix { kept.append((position, position)) }
        compare(old, prefix..<(old.count - suffix), new, prefix..<(new.count - suffix))
        for offset in (0..<suffix).reversed() {
            kept.append((old.count - 1 - offset, new.count - 1 - offset))
        }
    }

    private mutating func compare(
        _ old: ContiguousArray<UInt64>, _ oldRange: Range<Int>,
        _ new: ContiguousArray<UInt64>, _ newRange: Range<Int>
    ) {
        // The n-th occurrence of a key is the n-th of the other list.
        var positions: [UInt64: [Int]] = [:]
        for position in oldRange.reversed() {
            positions[old[position], default: []].append(position)
        }
        var common: [(old: Int, new: Int)] = []
        for position in newRange {
            if let found = positions[new[position]]?.popLast() {
                common.append((found, position))
            } else {
                inserted.append(position)
            }
        }
        deleted = positions.values.flatMap { $0 }.sorted()
        let staying = ListComparison.longestIncreasing(common.map(\.old))
        var next = 0
        for (index, pair) in common.enumerated() {
            if next < staying.count, staying[next] == index {
                kept.append(pair)
                next += 1
            } else {
                moved.append(ResultChanges.Move(from: pair.old, to: pair.new))
            }
        }
    }

    /// The places of a longest ascending selection of distinct values. O(n log n).
    private static func longestIncreasing(_ values: [Int]) -> [Int] {
        // By length of a selection, the place of the smallest value that can end it.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (place, value) in values.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var selection: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            selection.append(place)
            place = previous[place]
        }
        return selection.reversed()
    }
}
