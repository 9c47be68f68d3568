import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Posting trees")
struct PostingTreeTests {
    /// A tree of exact keys beside a sorted array.
    private struct Pair {
        var tree = PostingTree()
        var model: [IndexEntry] = []

        mutating func insert(_ entry: IndexEntry) {
            tree.insert(entry, isExact: true) { _ in 0 }
            let position = model.firstIndex {
                ($0.key, $0.ordinal) > (entry.key, entry.ordinal)
            }
            model.insert(entry, at: position ?? model.count)
        }

        mutating func remove(at position: Int) {
            let entry = model.remove(at: position)
            #expect(tree.remove(entry, isExact: true) { _ in 0 })
        }

        func check(_ random: inout SeededGenerator, keys: UInt64) {
            #expect(tree.postings == model)
            tree.checkInvariants(isExact: { _ in true }) { _, _ in 0 }
            let key = random.next() % keys
            for isBehindEqual in [false, true] {
                let rank = tree.rank(
                    ofBound: key, isExact: true, isBehindEqual: isBehindEqual
                ) { _ in 0 }
                let expected = model.filter { isBehindEqual ? $0.key <= key : $0.key < key }
                #expect(rank == expected.count)
            }
            let equal = tree.ranks(ofKey: key)
            #expect(Array(model[equal]) == model.filter { $0.key == key })
            for rank in equal.prefix(3) { #expect(tree.slot(atRank: rank) == model[rank].slot) }
            if let last = model.last { #expect(tree.slot(atRank: model.count - 1) == last.slot) }
            let start = Int.random(in: 0...model.count, using: &random)
            let range = start..<Int.random(in: start...model.count, using: &random)
            for isReversed in [false, true] {
                var spans: [[IndexEntry]] = []
                tree.forEachSpan(in: range, isReversed: isReversed) { span in
                    spans.append((0..<span.count).map { span[$0] })
                    return true
                }
                if isReversed { spans.reverse() }
                #expect(spans.flatMap { $0 } == Array(model[range]))
            }
        }
    }

    @Test(
        "Random growing and shrinking equals a sorted array, also for every copy",
        arguments: [(1, 3), (2, 60), (3, UInt64(1) << 40), (4, 900)] as [(UInt64, UInt64)])
    func randomChanges(seed: UInt64, keys: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pair = Pair()
        var copies: [Pair] = []
        for step in 0..<4_000 {
            let grows = step / 700 % 2 == 0
            if pair.model.isEmpty || Int.random(in: 0..<10, using: &random) < (grows ? 8 : 2) {
                // New rows have the greatest ordinals, those that only change keep what they have.
                let ordinal = step % 3 == 0 ? 20_001 - 2 * step : 2 * step
                pair.insert(
                    IndexEntry(
                        key: random.next() % keys, ordinal: UInt64(ordinal), slot: UInt32(step)))
            } else {
                pair.remove(at: Int.random(in: 0..<pair.model.count, using: &random))
            }
            if step % 61 == 0 { pair.check(&random, keys: keys) }
            if step % 397 == 0 { copies.append(pair) }
        }
        for copy in copies { copy.check(&random, keys: keys) }
    }

    @Test("Values that keys do not tell apart are ordered by the closure")
    func inexactKeys() {
        var random = SeededGenerator(seed: 5)
        var values: [UInt32: Int] = [:]
        var tree = PostingTree()
        for slot in 0..<1_000 as Range<UInt32> {
            let value = Int.random(in: 0..<200, using: &random)
            values[slot] = value
            tree.insert(
                IndexEntry(key: UInt64(value / 50), ordinal: UInt64(slot), slot: slot),
                isExact: false
            ) { value - (values[$0] ?? 0) }
        }
        let sorted = values.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        #expect(tree.postings.map(\.slot) == sorted)
        let below = tree.rank(ofBound: 1, isExact: false, isBehindEqual: false) {
            77 - (values[$0] ?? 0)
        }
        #expect(below == values.values.filter { $0 < 77 }.count)
        for (slot, value) in values {
            let entry = IndexEntry(key: UInt64(value / 50), ordinal: UInt64(slot), slot: slot)
            #expect(tree.remove(entry, isExact: false) { value - (values[$0] ?? 0) })
        }
        #expect(tree.count == 0)
    }

    @Test("An entry that the order does not lead to is found, and one that is not there is not")
    func lostEntries() {
        var random = SeededGenerator(seed: 8)
        var tree = PostingTree()
        let entries = (0..<3_000).map {
            IndexEntry(key: 1, ordinal: UInt64($0), slot: UInt32($0))
        }
        // An order that changes its mind.
        for entry in entries {
            tree.insert(entry, isExact: false) { _ in Int.random(in: -1...1, using: &random) }
        }
        #expect(tree.count == 3_000)
        for entry in entries.shuffled(using: &random) {
            #expect(tree.remove(entry, isExact: false) { _ in Int.random(in: -1...1) })
            #expect(!tree.remove(entry, isExact: false) { _ in 0 })
        }
        #expect(tree.count == 0)
        #expect(tree.postings.isEmpty)
    }

    @Test("A tree built from sorted entries takes changes like any other")
    func building() {
        var random = SeededGenerator(seed: 9)
        for count in [0, 1, 56, 57, 64, 800, 5_000] {
            let entries = ContiguousArray(
                (0..<count).map {
                    IndexEntry(
                        key: random.next() % 1_000 << 30, ordinal: UInt64($0), slot: UInt32($0))
                })
            var pair = Pair()
            pair.model = entries.sorted { ($0.key, $0.ordinal) < ($1.key, $1.ordinal) }
            // Parts of different lengths, some of them empty.
            let cuts = [0, count / 7, count / 7, count / 2, count]
            let parts = zip(cuts, cuts.dropFirst()).map { ContiguousArray(entries[$0..<$1]) }
            let sorted = PostingTree.sorted(parts, isExact: { _ in true }, order: nil)
            #expect(Array(sorted) == pair.model)
            pair.tree = PostingTree(sorted: sorted)
            pair.check(&random, keys: 1_000 << 30)
            for step in 0..<40 {
                pair.insert(
                    IndexEntry(
                        key: random.next() % 1_000 << 30, ordinal: UInt64(count + step),
                        slot: UInt32(count + step)))
                pair.remove(at: Int.random(in: 0..<pair.model.count, using: &random))
            }
            pair.check(&random, keys: 1_000 << 30)
        }
    }

    @Test(
        "Long runs of equal keys that grow at their ends fill their leaves, short ones no less than before",
        arguments: [(10, 0.93), (100, 0.7), (2_000, 0.65), (20_000, 0.65)] as [(UInt64, Double)])
    func fullLeaves(keys: UInt64, least: Double) {
        var random = SeededGenerator(seed: keys)
        var tree = PostingTree()
        for number in 0..<20_000 as Range<UInt64> {
            let entry = IndexEntry(
                key: random.next() % keys, ordinal: number, slot: UInt32(number))
            tree.insert(entry, isExact: true) { _ in 0 }
        }
        tree.checkInvariants(isExact: { _ in true }) { _, _ in 0 }
        var leaves = 0
        tree.forEachSpan(in: 0..<tree.count) { _ in
            leaves += 1
            return true
        }
        let fill = Double(tree.count) / Double(leaves * PostingLeaf.limit)
        #expect(fill >= least, "seed \(keys)")
    }

    @Test("Sorting orders equal keys by value, and equal values by ordinal")
    func sortingTies() {
        let entries = ContiguousArray(
            (0..<100).map { IndexEntry(key: UInt64($0 % 3), ordinal: UInt64($0), slot: UInt32($0)) }
        )
        func value(_ slot: UInt32) -> Int { Int(slot / 10 % 4) }
        let expected = entries.sorted {
            ($0.key, value($0.slot), $0.ordinal) < ($1.key, value($1.slot), $1.ordinal)
        }
        let sorted = PostingTree.sorted([entries], isExact: { _ in false }) {
            value($0) - value($1)
        }
        #expect(Array(sorted) == expected)
    }

    @Test("The only copy of a tree is changed in place, a shared one along one path")
    func sharing() {
        var tree = PostingTree()
        for number in 0..<20_000 as Range<UInt64> {
            tree.insert(
                IndexEntry(key: number * 7 % 20_011, ordinal: number, slot: UInt32(number)),
                isExact: true
            ) { _ in 0 }
        }
        let before = tree.nodes()
        #expect(tree.remove(IndexEntry(key: 7, ordinal: 1, slot: 1), isExact: true) { _ in 0 })
        #expect(tree.nodes() == before)
        let copy = tree
        tree.insert(IndexEntry(key: 7, ordinal: 1, slot: 1), isExact: true) { _ in 0 }
        let added = tree.nodes().subtracting(copy.nodes())
        #expect(added.count <= tree.height + 1)
        #expect(tree.nodes().intersection(copy.nodes()).count >= before.count - added.count)
    }
}
