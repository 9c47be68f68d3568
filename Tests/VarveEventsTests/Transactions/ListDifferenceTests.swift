import Testing
import VarveEvents
import VarveTestSupport

@Suite("Differences of lists")
struct ListDifferenceTests {
    private func apply(_ difference: ListDifference<Int>, to old: [Int]) -> [Int] {
        var list = old
        for removal in difference.removals.reversed() {
            #expect(list[removal.position] == removal.element)
            list.remove(at: removal.position)
        }
        for insertion in difference.insertions {
            list.insert(insertion.element, at: insertion.position)
        }
        return list
    }

    @Test("A move is one removal and one insertion")
    func moves() {
        let difference = ListDifference(from: [1, 2, 3, 4, 5], to: [2, 3, 4, 1, 5])
        #expect(difference.removals.map(\.element) == [1])
        #expect(difference.removals.map(\.position) == [0])
        #expect(difference.insertions.map(\.position) == [3])
        #expect(ListDifference(from: [1, 2], to: [1, 2]).isEmpty)
        #expect(ListDifference<Int>(from: [], to: []).isEmpty)
    }

    @Test("Random lists turn into each other", arguments: [UInt64(1), 2, 3])
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let old = Array((0..<12).shuffled(using: &generator).prefix(Int(generator.next() % 12)))
            let new = Array((0..<12).shuffled(using: &generator).prefix(Int(generator.next() % 12)))
            let difference = ListDifference(from: old, to: new)
            #expect(apply(difference, to: old) == new, "seed \(seed)")
            #expect(
                difference.removals.map(\.position) == difference.removals.map(\.position).sorted())
        }
    }
}
