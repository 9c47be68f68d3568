import Testing
import VarveTestSupport

@testable import VarveTool

@Suite("Changes of lists")
struct ListChangesTests {
    private static func text(_ places: [ListChanges<String>.Place]) -> [String] {
        places.map { "\($0.element) at \($0.position)" }
    }

    @Test("What moved alone went and came, and what is between stays")
    func moves() {
        let old = (0..<5_000).map(String.init)
        let new = Array(old[..<3] + old[4...] + ["3"])
        let changes = ListChanges(from: old, to: new)
        #expect(Self.text(changes.removals) == ["3 at 3"])
        #expect(Self.text(changes.insertions) == ["3 at 4999"])
    }

    @Test("What went and what came have their places in their own lists")
    func places() {
        let changes = ListChanges(from: ["a", "b", "c", "b"], to: ["x", "a", "b", "y"])
        #expect(Self.text(changes.removals) == ["c at 2", "b at 3"])
        #expect(Self.text(changes.insertions) == ["x at 0", "y at 3"])
        let none = ListChanges(from: ["a", "b"], to: ["a", "b"])
        #expect(none.removals.isEmpty && none.insertions.isEmpty)
    }

    @Test("Removals and then insertions make the one list of the other")
    func applied() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            func list() -> [Int] {
                (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    Int.random(in: 0..<8, using: &random)
                }
            }
            let (old, new) = (list(), list())
            let changes = ListChanges(from: old, to: new)
            var made = old
            for place in changes.removals.reversed() { made.remove(at: place.position) }
            for place in changes.insertions { made.insert(place.element, at: place.position) }
            #expect(made == new, "seed \(seed): \(old) \(new)")
            #expect(changes.removals.allSatisfy { old[$0.position] == $0.element })
        }
    }
}
