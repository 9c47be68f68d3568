import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Paged array")
struct PagedArrayTests {
    @Test("An absent element reads as absent, whatever its index")
    func absentElements() {
        var array = PagedArray<String?>(leafShift: 3)
        #expect(array[0] == nil)
        #expect(array[1_000_000] == nil)
        array[70_000] = "x"
        #expect(array[70_000] == "x")
        #expect(array[69_999] == nil)
        #expect(array[1 << 40] == nil)
    }

    @Test("A copy keeps what it had while the original changes, and the other way round")
    func copiesAreIndependent() {
        var first = PagedArray<Int?>(leafShift: 4)
        for index in 0..<500 { first[index] = index }
        var second = first
        first[7] = -1
        second[300] = -2
        #expect(first[7] == -1)
        #expect(first[300] == 300)
        #expect(second[7] == 7)
        #expect(second[300] == -2)
    }

    @Test("An unshared array is mutated in place")
    func inPlace() {
        var array = PagedArray<Int?>(leafShift: 4)
        for index in 0..<5_000 { array[index] = index }
        let before = array.pointer(at: 4_321)
        array[4_321] = 1
        #expect(array.pointer(at: 4_321) == before)
        let copy = array
        array[4_321] = 2
        #expect(array.pointer(at: 4_321) != before)
        #expect(copy.pointer(at: 4_321) == before)
        #expect(array.pointer(at: 0) == copy.pointer(at: 0), "untouched pages stay shared")
    }

    @Test("Pages of a dropped copy are released", arguments: [3, 6])
    func releasesElements(leafShift: Int) {
        final class Token {}
        weak var witness: Token?
        do {
            var array = PagedArray<Token?>(leafShift: leafShift)
            let token = Token()
            witness = token
            array[1_000] = token
            let copy = array
            array[1_000] = nil
            withExtendedLifetime(copy) { #expect(witness != nil) }
        }
        #expect(witness == nil)
    }

    @Test("Random writes and copies agree with dictionaries", arguments: [1, 2, 3] as [UInt64])
    func agreesWithModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var versions = [(PagedArray<Int?>(leafShift: 3), [Int: Int]())]
        for step in 1...4_000 {
            let chosen = Int.random(in: 0..<versions.count, using: &random)
            if step.isMultiple(of: 40) {
                let copy = versions[chosen]
                if versions.count > 6 { versions.remove(at: 0) }
                versions.append(copy)
                continue
            }
            let index = Int.random(
                in: 0..<(1 << Int.random(in: 1...20, using: &random)), using: &random)
            versions[chosen].0[index] = step
            versions[chosen].1[index] = step
        }
        for (array, model) in versions {
            for (index, value) in model { #expect(array[index] == value, "seed \(seed)") }
            var visited: [Int: Int] = [:]
            array.forEachLeaf { first, elements in
                for offset in elements.indices where elements[offset] != nil {
                    visited[first + offset] = elements[offset]
                }
                return true
            }
            #expect(visited == model, "seed \(seed)")
        }
    }
}
