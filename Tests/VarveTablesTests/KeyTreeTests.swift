import Testing
import VarveTestSupport

@testable import VarveTables

@Suite("Ordered byte keys")
struct KeyTreeTests {
    private static func keys(
        _ tree: KeyTree, from first: [UInt8] = [], _ pages: PageTable
    ) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        first.withUnsafeBytes { first in
            var cursor = tree.cursor(from: first, in: pages)
            while let key = cursor.nextKey() { keys.append(Array(key)) }
        }
        return keys
    }

    /// Backward, in ascending order all the same.
    private static func keys(
        _ tree: KeyTree, before end: [UInt8]?, _ pages: PageTable
    ) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        (end ?? []).withUnsafeBytes { bytes in
            var cursor = tree.cursor(before: end == nil ? nil : bytes, in: pages)
            while let key = cursor.nextKey() { keys.append(Array(key)) }
        }
        return keys.reversed()
    }

    private static func precedes(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.lexicographicallyPrecedes(second)
    }

    /// Adds the key, or removes it where it is there.
    private static func toggle(
        _ key: [UInt8], _ tree: inout KeyTree, _ expected: inout Set<[UInt8]>,
        in transaction: PageTransaction
    ) {
        key.withUnsafeBytes { bytes in
            let results: [Bool]
            if expected.insert(key).inserted {
                results = (0..<2).map { _ in tree.insert(bytes, in: transaction) }
            } else {
                expected.remove(key)
                results = (0..<2).map { _ in tree.remove(bytes, in: transaction) }
            }
            #expect(results == [true, false])
        }
    }

    private static func check(
        _ versions: Versions<KeyTree>, _ expected: Set<[UInt8]>, _ comment: String
    ) {
        let found = keys(versions.structure, versions.pages)
        if found != expected.sorted(by: precedes) { Issue.record("\(comment): \(found)") }
        let reversed = keys(versions.structure, before: nil, versions.pages)
        if reversed != found { Issue.record("\(comment), backward: \(reversed)") }
        for fault in KeyTreeFaults.find(versions.structure, in: versions.pages) {
            Issue.record("\(comment): \(fault)")
        }
    }

    /// Twenty-four keys, of one to three bytes, some of which begin others.
    private static let universe: [[UInt8]] = (0..<24).map { number in
        [UInt8(number / 3), UInt8(number), 7].dropLast(2 - number % 3) + []
    }

    @Test("All ways to toggle two keys in trees of every size from none to three levels")
    func exhaustive() {
        for filled in 0...23 {
            forEachSequence(length: 2, below: 24) { sequence in
                var versions = Versions(KeyTree(pageBytes: 64))
                var expected: Set<[UInt8]> = []
                versions.change { tree, transaction in
                    for number in 0..<filled {
                        Self.toggle(
                            Self.universe[number * 7 % 24], &tree, &expected, in: transaction)
                    }
                }
                let (before, held) = (expected, versions)
                for number in sequence {
                    versions.change {
                        Self.toggle(Self.universe[number], &$0, &expected, in: $1)
                    }
                }
                Self.check(versions, expected, "\(filled) keys, then \(sequence)")
                Self.check(held, before, "\(filled) keys held, then \(sequence)")
            }
        }
    }

    @Test(
        "All orders of removing keys, seven of which fill two pages, leave nothing",
        arguments: 0..<7)
    func removals(first: Int) {
        forEachSequence(length: 5, below: 7) { others in
            // The seventh is what is left.
            let order = [first] + others + (0..<7).filter { $0 != first && !others.contains($0) }
            guard Set(order).count == 7, order.count == 7 else { return }
            var versions = Versions(KeyTree(pageBytes: 64))
            var expected: Set<[UInt8]> = []
            versions.change { tree, transaction in
                for number in 0..<7 {
                    Self.toggle([UInt8(number), 1, 2], &tree, &expected, in: transaction)
                }
            }
            for number in order {
                versions.change {
                    Self.toggle([UInt8(number), 1, 2], &$0, &expected, in: $1)
                }
            }
            Self.check(versions, [], "\(order)")
            if versions.livePageCount() != 0 { Issue.record("\(order) leaves pages") }
        }
    }

    @Test(
        "Random keys of all lengths, with versions held and cursors from anywhere",
        arguments: TestSize.choose(1...10, nightly: 1...30))
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let pageBytes = [64, 96, 256, 1_024][generator.below(4)]
        var versions = Versions(KeyTree(pageBytes: pageBytes))
        let longest = versions.structure.keyBytesMax
        let alphabet = UInt8(generator.chance(2) ? 1 : 255)
        var expected: Set<[UInt8]> = []
        var held: [(Versions<KeyTree>, Set<[UInt8]>)] = []
        for round in 0..<120 {
            // Growing first, shrinking then.
            let grows = round < 70
            versions.change { tree, transaction in
                for _ in 0...generator.below(12) {
                    let isNew = grows ? !generator.chance(4) : generator.chance(4)
                    let key =
                        isNew || expected.isEmpty
                        ? generator.bytes(generator.below(longest + 1), alphabet: alphabet)
                        : expected.sorted(by: Self.precedes)[generator.below(expected.count)]
                    Self.toggle(key, &tree, &expected, in: transaction)
                }
            }
            if generator.chance(15) { held.append((versions, expected)) }
            Self.check(versions, expected, "seed \(seed), round \(round)")
            let first = generator.bytes(generator.below(3), alphabet: alphabet)
            #expect(
                Self.keys(versions.structure, from: first, versions.pages)
                    == expected.filter { !Self.precedes($0, first) }.sorted(by: Self.precedes),
                "seed \(seed)")
            let ends = [first, expected.randomElement(using: &generator) ?? []]
            for end in ends {
                #expect(
                    Self.keys(versions.structure, before: end, versions.pages)
                        == expected.filter { Self.precedes($0, end) }.sorted(by: Self.precedes),
                    "seed \(seed)")
            }
        }
        for (version, keys) in held { Self.check(version, keys, "seed \(seed), held") }
        held = []
        versions.change { tree, transaction in
            for key in expected {
                let isRemoved = key.withUnsafeBytes { tree.remove($0, in: transaction) }
                #expect(isRemoved)
            }
        }
        #expect(versions.livePageCount() == 0, "seed \(seed)")
    }
}

/// Looks for what breaks the invariants of a tree.
private enum KeyTreeFaults {
    static func find(_ tree: KeyTree, in pages: PageTable) -> [String] {
        guard tree.root != .none else {
            return tree.height == 0 ? [] : ["an empty tree has levels"]
        }
        var faults: [String] = []
        visit(tree.root, tree.height, low: nil, high: nil, isOnly: true, pages, &faults)
        return faults
    }

    private static func visit(
        _ number: PageNumber, _ level: Int, low: [UInt8]?, high: [UInt8]?, isOnly: Bool,
        _ pages: PageTable, _ faults: inout [String]
    ) {
        let page = KeyPage(page: pages[number], isNode: level > 0)
        if page.count == 0, level > 0 || !isOnly { faults.append("level \(level) is empty") }
        var last: [UInt8]?
        for index in 0..<page.count {
            let key = Array(page.key(index))
            // The first key of a node is not compared.
            if index > 0 || level == 0 {
                if let last, !last.lexicographicallyPrecedes(key) { faults.append("order") }
                if let low, key.lexicographicallyPrecedes(low) { faults.append("below \(low)") }
                if let high, !key.lexicographicallyPrecedes(high) { faults.append("above \(high)") }
                last = key
            }
            guard level > 0 else { continue }
            let next = index + 1 < page.count ? Array(page.key(index + 1)) : high
            visit(
                page.child(index), level - 1, low: index > 0 ? key : low, high: next,
                isOnly: page.count == 1, pages, &faults)
        }
    }
}
