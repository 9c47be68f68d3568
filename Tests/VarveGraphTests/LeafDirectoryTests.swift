import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Leaf directory")
struct LeafDirectoryTests {
    private static func filled(_ count: Int) -> PagedArray<Int?> {
        var array = PagedArray<Int?>(leafShift: 3, hasDirectory: true)
        for index in 0..<count { array[index] = index }
        return array
    }

    @Test(
        "A dense array gets a directory of nearly all its leaves, and one that leads where the tree does"
    )
    func isFilled() {
        let array = Self.filled(10_000)
        array.tree.checkDirectory()
        let leafCount = 10_000 / 8
        let directory = array.tree.directory
        let known = (0..<min(leafCount, directory?.capacity ?? 0)).count { directory?[$0] != nil }
        #expect(known > leafCount * 3 / 4)
        #expect((0..<10_000).allSatisfy { array[$0] == $0 })
        #expect(array[10_000] == nil)
        #expect(array[1 << 40] == nil)
    }

    @Test("A sparse array keeps none, and is not walked for one each time a leaf comes")
    func sparse() {
        var array = PagedArray<Int?>(leafShift: 3, hasDirectory: true)
        for number in 0..<20_000 { array[number * 8 * 10] = number }
        #expect(array.tree.directory?.capacity == 0)
        #expect(array.tree.directory?.isRenewalDue == false)
        #expect((0..<20_000).allSatisfy { array[$0 * 8 * 10] == $0 })
    }

    @Test("A leaf that one of two copies replaces is found by neither through the directory")
    func sharedLeaf() {
        var array = Self.filled(10_000)
        let copy = array
        #expect(array.tree.directory?[5] != nil)
        array[40] = -1
        #expect(array.tree.directory === copy.tree.directory)
        #expect(array.tree.directory?[5] == nil)
        #expect(array[40] == -1)
        #expect(copy[40] == 40)
        array.tree.checkDirectory()
        copy.tree.checkDirectory()
    }

    @Test("A leaf that is dropped is not found any more")
    func droppedLeaf() {
        var array = Self.filled(10_000)
        for index in 40..<48 { array.clear(at: index) }
        #expect(array.tree.directory?[5] == nil)
        #expect(array.pointer(at: 40) == nil)
        array[41] = 7
        #expect(array.tree.directory?[5] != nil)
        #expect(array[41] == 7)
        array.tree.checkDirectory()
    }

    @Test("Once a share of the leaves is missing, a copy gets a directory of its own")
    func renewal() {
        var array = Self.filled(10_000)
        let copy = array
        for index in stride(from: 0, to: 10_000, by: 8) { array[index] = -index }
        #expect(array.tree.directory !== copy.tree.directory)
        array.tree.checkDirectory()
        copy.tree.checkDirectory()
        for index in stride(from: 0, to: 10_000, by: 8) {
            #expect(array[index] == -index)
            #expect(copy[index] == index)
        }
    }

    @Test("Attached subtrees are found")
    func attached() throws {
        var array = Self.filled(512)
        let empty = 7
        let others = (1..<20).map { part in
            var other = PagedArray<Int?>(leafShift: 3)
            for index in 0..<512 where part != empty { other[index] = part * 512 + index }
            return other
        }
        array.tree.attach(others[..<3].map(\.tree), at: 512, span: 9)
        array.tree.checkDirectory()
        array.tree.attach(others[3...].map(\.tree), at: 4 * 512, span: 9)
        array.tree.checkDirectory()
        let directory = try #require(array.tree.directory)
        // All of the leaves, and not by the way down the tree alone.
        try #require(directory.capacity >= 64 * 20)
        for leaf in 0..<64 * 20 {
            #expect((directory[leaf] == nil) == (leaf / 64 == empty), "leaf \(leaf)")
        }
        for index in 0..<512 * 20 {
            #expect(array[index] == (index / 512 == empty ? nil : index))
        }
    }

    @Test("Without a directory leaves are found in the tree")
    func dropped() {
        var array = Self.filled(10_000)
        array.tree.dropDirectory()
        #expect(array.tree.nodes.directory == nil)
        #expect(array.tree.directory == nil)
        array[10_000] = 10_000
        #expect((0...10_000).allSatisfy { array[$0] == $0 })
    }

    @Test(
        "Writes, clearings and copies at random agree with dictionaries",
        arguments: 1...6 as ClosedRange<UInt64>)
    func agreesWithModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var versions = [(PagedArray<Int?>(leafShift: 3, hasDirectory: true), [Int: Int]())]
        for step in 1...20_000 {
            let chosen = Int.random(in: 0..<versions.count, using: &random)
            if step.isMultiple(of: 400) {
                let copy = versions[chosen]
                if versions.count > 4 { versions.remove(at: 0) }
                versions.append(copy)
                for (array, _) in versions { array.tree.checkDirectory() }
                continue
            }
            let index = Int.random(in: 0..<6_000, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                versions[chosen].0.clear(at: index)
                versions[chosen].1[index] = nil
            } else {
                versions[chosen].0[index] = step
                versions[chosen].1[index] = step
            }
        }
        for (array, model) in versions {
            array.tree.checkDirectory()
            #expect((0..<6_000).allSatisfy { array[$0] == model[$0] }, "seed \(seed)")
        }
        #expect(versions.contains { ($0.0.tree.directory?.capacity ?? 0) > 0 }, "seed \(seed)")
    }

    @Test("A copy is read on another thread while the original goes on changing")
    func readWhileChanging() async {
        var array = Self.filled(20_000)
        for _ in 0..<10 {
            let copy = array
            let expected = (0..<20_000).map { copy[$0] }
            let reader = Task.detached {
                for _ in 0..<5 {
                    for index in 0..<20_000 where copy[index] != expected[index] { return false }
                }
                return true
            }
            for index in stride(from: 0, to: 20_000, by: 3) {
                array[index] = array[index].map { $0 + 1 }
            }
            #expect(await reader.value)
        }
        array.tree.checkDirectory()
    }
}

extension PagedArray<Int?> {
    /// Makes an element absent, and drops its leaf when nothing else is left in it, as a table does.
    fileprivate mutating func clear(at index: Int) {
        guard pointer(at: index)?.pointee != nil else { return }
        self[index] = nil
        let first = index & ~(1 << leafShift - 1)
        if (first..<first + 1 << leafShift).allSatisfy({ self[$0] == nil }) {
            tree.dropLeaf(holding: index)
        }
    }
}
