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
        array.checkDirectory()
        let leafCount = 10_000 / 8
        let directory = array.directory
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
        #expect(array.directory?.capacity == 0)
        #expect(array.directory?.isRenewalDue == false)
        #expect((0..<20_000).allSatisfy { array[$0 * 8 * 10] == $0 })
    }

    @Test("A leaf that one of two copies replaces is found by neither through the directory")
    func sharedLeaf() {
        var array = Self.filled(10_000)
        let copy = array
        #expect(array.directory?[5] != nil)
        array[40] = -1
        #expect(array.directory === copy.directory)
        #expect(array.directory?[5] == nil)
        #expect(array[40] == -1)
        #expect(copy[40] == 40)
        array.checkDirectory()
        copy.checkDirectory()
    }

    @Test("A leaf that is dropped is not found any more")
    func droppedLeaf() {
        var array = Self.filled(10_000)
        for index in 40..<48 { array.clear(at: index) { $0 == nil } }
        #expect(array.directory?[5] == nil)
        #expect(array.pointer(at: 40) == nil)
        array[41] = 7
        #expect(array.directory?[5] != nil)
        #expect(array[41] == 7)
        array.checkDirectory()
    }

    @Test("Once a share of the leaves is missing, a copy gets a directory of its own")
    func renewal() {
        var array = Self.filled(10_000)
        let copy = array
        for index in stride(from: 0, to: 10_000, by: 8) { array[index] = -index }
        #expect(array.directory !== copy.directory)
        array.checkDirectory()
        copy.checkDirectory()
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
        array.attach(others[..<3], at: 512, span: 9)
        array.checkDirectory()
        array.attach(others[3...], at: 4 * 512, span: 9)
        array.checkDirectory()
        let directory = try #require(array.directory)
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
        array.dropDirectory()
        #expect(array.nodes.directory == nil)
        #expect(array.directory == nil)
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
                for (array, _) in versions { array.checkDirectory() }
                continue
            }
            let index = Int.random(in: 0..<6_000, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                versions[chosen].0.clear(at: index) { $0 == nil }
                versions[chosen].1[index] = nil
            } else {
                versions[chosen].0[index] = step
                versions[chosen].1[index] = step
            }
        }
        for (array, model) in versions {
            array.checkDirectory()
            #expect((0..<6_000).allSatisfy { array[$0] == model[$0] }, "seed \(seed)")
        }
        #expect(versions.contains { ($0.0.directory?.capacity ?? 0) > 0 }, "seed \(seed)")
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
        array.checkDirectory()
    }
}
