/// What makes one list of another: the elements that went or moved, and those that came or moved, with their positions.
struct ListChanges<Element: Hashable> {
    typealias Place = (position: Int, element: Element)

    /// By their positions in the list before.
    let removals: [Place]
    /// By their positions in the list behind.
    let insertions: [Place]

    /// O(n log n). As many elements as possible stay where they are.
    init(from old: [Element], to new: [Element]) {
        // Of elements that are the same, the first is the first.
        var positions: [Element: [Int]] = [:]
        for (position, element) in new.enumerated().reversed() {
            positions[element, default: []].append(position)
        }
        let targets = old.map { positions[$0]?.popLast() }
        let kept = Self.longestAscent(of: targets)
        let reached = Set(kept.map { targets[$0] ?? 0 })
        let staying = Set(kept)
        removals = old.enumerated().filter { !staying.contains($0.offset) }
            .map { ($0.offset, $0.element) }
        insertions = new.enumerated().filter { !reached.contains($0.offset) }
            .map { ($0.offset, $0.element) }
    }

    /// Where the numbers of a longest ascending sequence are.
    private static func longestAscent(of numbers: [Int?]) -> [Int] {
        // Of each length, where the sequence with the least end ends; of each number, what comes before it.
        var ends: [Int] = []
        var former: [Int?] = Array(repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if (numbers[ends[middle]] ?? 0) < number { low = middle + 1 } else { high = middle }
            }
            former[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var (sequence, next): ([Int], Int?) = ([], ends.last)
        while let index = next {
            sequence.append(index)
            next = former[index]
        }
        return sequence.reversed()
    }
}
