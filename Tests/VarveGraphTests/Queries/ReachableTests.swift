import Testing
import VarveTestSupport

@testable import VarveGraph

@EntityModel
private struct Place: Equatable {
    let id: Int
    @Relationship(inverse: \.from) var to: [Place]?
    @Relationship(inverse: \.to) var from: [Place]?
    @Relationship(inverse: \.children) var parent: Place?
    @Relationship(inverse: \.parent) var children: [Place]?
}

@Suite("What a relation leads to in any number of steps")
struct ReachableTests {
    private static func context(_ links: [Int: [Int]], nodes: some Sequence<Int>) throws -> Context
    {
        var context = Context()
        for node in nodes {
            try Place(id: node, to: .ids(links[node] ?? [])).save(to: &context)
        }
        return context
    }

    private static func ids(_ query: QueryList<Place>, _ context: Context) -> [Int] {
        query.resolve(in: context).map(\.id)
    }

    @Test("The nearest come first, each once, and a cycle ends")
    func order() throws {
        let context = try Self.context(
            [1: [2, 3], 2: [4], 3: [4, 5], 4: [1, 6], 6: [6]], nodes: 1...7)
        let reached = Place.query(1).reachable(along: \.$to)
        #expect(Self.ids(reached, context) == [2, 3, 4, 5, 6])
        #expect(reached.count(in: context) == 5)
        #expect(Self.ids(Place.query(6).reachable(along: \.$to), context) == [])
        #expect(Self.ids(Place.query(7).reachable(along: \.$to), context) == [])
        #expect(Self.ids(Place.query(6).reachable(along: \.$from), context) == [4, 2, 3, 1])
        #expect(Self.ids(Place.query(8).reachable(along: \.$to), context) == [])
    }

    @Test("Steps are counted from the start")
    func limit() throws {
        let context = try Self.context([1: [2, 3], 2: [4], 4: [5]], nodes: 1...5)
        let expected = [[], [2, 3], [2, 3, 4], [2, 3, 4, 5], [2, 3, 4, 5]]
        for (limit, ids) in expected.enumerated() {
            let query = Place.query(1).reachable(along: \.$to, maxSteps: limit)
            #expect(Self.ids(query, context) == ids)
        }
    }

    @Test("A to-one relation leads from parent to parent")
    func toOne() throws {
        var context = Context()
        for node in 1...4 {
            try Place(id: node, parent: node == 1 ? .null : .id(node - 1)).save(to: &context)
        }
        #expect(Self.ids(Place.query(4).reachable(along: \.$parent), context) == [3, 2, 1])
        #expect(Self.ids(Place.query(1).reachable(along: \.$children), context) == [2, 3, 4])
    }

    @Test("An id without an entity starts, and is not reached")
    func absent() throws {
        let context = try Self.context([1: [2, 9], 9: [3]], nodes: [1, 2, 3])
        #expect(Self.ids(Place.query(1).reachable(along: \.$to), context) == [2])
        #expect(Self.ids(Place.query(9).reachable(along: \.$from), context) == [1])
        #expect(Self.ids(Place.query(9).reachable(along: \.$to), context) == [])
        let waiting = try Self.context([1: [9], 2: [9], 9: [3]], nodes: [1, 2, 3, 9])
        #expect(Self.ids(Place.query(1).reachable(along: \.$to), waiting) == [9, 3])
        var deleted = waiting
        try Place.delete(id: 9, from: &deleted)
        #expect(Self.ids(Place.query(1).reachable(along: \.$to), deleted) == [])
        #expect(Self.ids(Place.query(3).reachable(along: \.$from), deleted) == [])
        // The context before is as it was.
        #expect(Self.ids(Place.query(3).reachable(along: \.$from), waiting) == [9, 1, 2])
    }

    @Test("What starts from several entities, or from related ones, counts steps as well")
    func steps() throws {
        let context = try Self.context([1: [2], 2: [3], 3: [4], 4: [5], 7: [1]], nodes: 1...7)
        let list = Place.query([1, 3])
        #expect(Self.ids(list.reachable(along: \.$to, maxSteps: 1), context) == [2, 4])
        #expect(Self.ids(list.reachable(along: \.$to, maxSteps: 0), context) == [])
        let behind = Place.query(7).related(\.$to).reachable(along: \.$to, maxSteps: 2)
        #expect(Self.ids(behind, context) == [2, 3])
        #expect(behind.limit(1).count(in: context) == 1)
    }

    @Test("Few are met in a large table as in a small one, and many")
    func large() throws {
        var links: [Int: [Int]] = [:]
        for node in 1...3_000 { links[node] = [node * 2, node * 2 + 1].filter { $0 <= 3_000 } }
        let context = try Self.context(links, nodes: 1...3_000)
        #expect(Place.query(1).reachable(along: \.$to).count(in: context) == 2_999)
        #expect(Place.query(700).reachable(along: \.$to).count(in: context) == 6)
        #expect(
            Self.ids(Place.query(2_999).reachable(along: \.$from), context)
                == [1_499, 749, 374, 187, 93, 46, 23, 11, 5, 2, 1])
    }

    @Test("From several, none of them is an answer, and what is found can be asked further")
    func list() throws {
        let context = try Self.context([1: [2], 2: [3], 3: [1, 4], 5: [6]], nodes: 1...6)
        let query = Place.query([1, 3, 5]).reachable(along: \.$to)
        #expect(Self.ids(query, context) == [2, 4, 6])
        #expect(Self.ids(query.filter(\.id > 2).sorted(by: \.id), context) == [4, 6])
        let behind = Place.query().filter(\.id == 2).reachable(along: \.$to)
        #expect(Self.ids(behind, context) == [3, 1, 4])
        #expect(Self.ids(Place.query(2).filter(\.id == 7).reachable(along: \.$to), context) == [])
    }

    @Test(
        "The answers are those of following the links one by one",
        arguments: 1...20 as ClosedRange<UInt64>)
    func law(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var links: [Int: [Int]] = [:]
        for node in 1...60 {
            let count = Int.random(in: 0...3, using: &random)
            links[node] = Array(
                Set((0..<count).map { _ in Int.random(in: 1...70, using: &random) })
            ).sorted()
        }
        let context = try Self.context(links, nodes: 1...60)
        for start in 1...60 {
            var distances = [start: 0]
            var level: Set = [start]
            while !level.isEmpty {
                let next = level.flatMap { links[$0] ?? [] }.filter { $0 <= 60 }
                level = Set(next).subtracting(distances.keys)
                let distance = (distances.values.max() ?? 0) + 1
                for node in level { distances[node] = distance }
            }
            let found = Self.ids(Place.query(start).reachable(along: \.$to), context)
            #expect(Set(found) == Set(distances.keys).subtracting([start]), "seed \(seed)")
            #expect(found.count == distances.count - 1, "seed \(seed)")
            let steps = found.map { distances[$0] ?? -1 }
            #expect(steps == steps.sorted(), "seed \(seed)")
        }
    }
}
