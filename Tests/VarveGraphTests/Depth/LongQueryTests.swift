import Testing
import VarveGraph
import VarveTestSupport

@EntityModel
private struct Coin: Equatable {
    let id: Int
    var worth: Int
    var year: Int? = nil

    @Index<Self>(\.worth) private var byWorth
    @Relationship(inverse: \.right) var left: Coin?
    @Relationship(inverse: \.left) var right: Coin?
    @Relationship(inverse: \.heap) var heap: [Coin]?
}

@Suite("Queries of thousands of parts")
struct LongQueryTests {
    /// What is quadratic takes minutes at this length, and what recurses has no room on a small stack.
    static let length = 30_000

    private static func coins(_ count: Int) throws -> Context {
        var context = Context()
        try (0..<count).map { Coin(id: $0, worth: $0 % 10) }.save(to: &context)
        return context
    }

    @Test("A chain of filters is built step by step, and finds what all of them let through")
    func filters() throws {
        try onSmallStack {
            let context = try Self.coins(20)
            var query = Coin.query()
            for bound in 0..<Self.length { query = query.filter(\.worth < 9 + bound % 3) }
            #expect(query.count(in: context) == 18)
            #expect(query.limit(3).resolve(in: context).map(\.id) == [0, 1, 2])
            #expect(query.explain(in: context).candidates <= 20)
            var ids = Coin.query([3, 9, 5])
            for bound in 0..<Self.length { ids = ids.filter(\.worth < 9 + bound % 3) }
            #expect(ids.resolve(in: context).map(\.id) == [3, 5])
            #expect(ids.explain(in: context).steps.count == Self.length)
        }
    }

    @Test("Each of the queries that grow out of one has its own steps")
    func branches() throws {
        let context = try Self.coins(100)
        var query = Coin.query()
        for count in 0..<200 {
            let (less, more) = (query.filter(\.worth == 3), query.filter(\.worth == 4))
            #expect(less.count(in: context) == 10, "\(count)")
            #expect(more.filter(\.id < 50).count(in: context) == 5, "\(count)")
            query = query.filter(\.id >= 0)
        }
        #expect(query.count(in: context) == 100)
        let shaped = (0..<200).reduce(Coin.query(1)) { query, _ in query.id(\.$heap) }
        #expect(shaped.with(\.$left).resolve(in: context)?.$heap.isId == true)
    }

    @Test("Thousands of terms, whichever way they are joined, are tested, planned and explained")
    func terms() throws {
        try onSmallStack {
            let context = try Self.coins(20)
            typealias Condition = QueryPredicate<Coin>
            let terms: [Condition] = (0..<Self.length).map { \.worth == $0 + 5 }
            let left = terms.dropFirst().reduce(terms[0]) { $0 || $1 }
            let right = terms.dropLast().reversed().reduce(terms[Self.length - 1]) { $1 || $0 }
            for any in [left, right] {
                #expect(Coin.filter(any).count(in: context) == 10)
                #expect(Coin.filter(!any).count(in: context) == 10)
                #expect(Coin.query([1, 7]).filter(any).resolve(in: context).map(\.id) == [7])
                let words = Coin.query([1, 7]).filter(any).explain(in: context).steps[0]
                #expect(words.hasPrefix("filter worth == 5 || worth == 6 || worth == 7 ||"))
                #expect(words.hasSuffix(" || worth == \(Self.length + 4)"))
            }
            let all = terms.reduce(Condition.satisfying { _ in true }) { $0 && !$1 }
            #expect(Coin.filter(all).count(in: context) == 10)
            #expect(
                Coin.query([1]).filter(all).explain(in: context).steps[0].hasPrefix(
                    "filter a closure && worth != 5 && worth != 6 &&"))
        }
    }

    @Test("A depth list costs what there is on each level, however many ways lead there")
    func ring() throws {
        var context = Context()
        for id in 0..<3 {
            try Coin(
                id: id, worth: 1, left: .id((id + 2) % 3), right: .id((id + 1) % 3),
                heap: .ids([0, 1, 2].filter { $0 != id })
            )
            .save(to: &context)
        }
        let levels = [Nested](repeating: .entities, count: 60)
        let coin = try #require(Coin.query(0).with(levels).resolve(in: context))
        var (next, depth) = (coin, 0)
        while let right = next.right {
            #expect(right.id == (next.id + 1) % 3 && right.heap?.count ?? 2 == 2)
            (next, depth) = (right, depth + 1)
        }
        #expect(depth == 60)
        let all = [Nested](repeating: .schemaFragments, count: 60)
        let whole = try #require(Coin.query(0).with(all).resolve(in: context))
        #expect(whole.heap?.count == 3 && whole.$heap.isFragment && whole.left == nil)
    }

    @Test("A depth list loads the same as the shapes that it stands for", arguments: 1...9)
    func sameAsShapes(depth: Int) throws {
        var context = Context()
        var random = SeededGenerator(seed: UInt64(depth))
        for id in 0..<6 {
            try Coin(
                id: id, worth: id, left: .id(Int.random(in: 0..<7, using: &random)),
                heap: .ids((0..<7).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
            )
            .save(to: &context)
        }
        func shaped<Shaped: ShapedQuery<Coin>>(_ query: Shaped, _ depth: Int) -> Shaped {
            if depth == 1 { return query.id(\.$left).id(\.$right).id(\.$heap) }
            return query.with(\.$left) { shaped($0, depth - 1) }
                .with(\.$right) { shaped($0, depth - 1) }
                .with(\.$heap) { shaped($0, depth - 1) }
        }
        let levels = [Nested](repeating: .entities, count: depth - 1) + [.ids]
        let listed = Coin.query().with(levels).resolve(in: context)
        let expected = shaped(Coin.query(), depth).resolve(in: context)
        #expect(listed.count == expected.count)
        #expect(zip(listed, expected).allSatisfy { $0.isIdentical(to: $1) })
        var visited: [Coin] = []
        Coin.query().with(levels).forEach(in: context) { visited.append($0) }
        #expect(zip(visited, expected).allSatisfy { $0.isIdentical(to: $1) })
        let groups = Coin.query().related(\.$heap).with(levels).resolve(in: context)
        let expectedGroups = shaped(Coin.query().related(\.$heap), depth).resolve(in: context)
        #expect(groups.map { $0.map(\.id) } == expectedGroups.map { $0.map(\.id) })
        #expect(
            zip(groups.joined(), expectedGroups.joined()).allSatisfy { $0.isIdentical(to: $1) })
    }

    @Test("A chain is loaded hundreds of levels deep on a small stack")
    func deepList() throws {
        try onSmallStack {
            let depth = 500
            var context = Context()
            try (0..<depth).map { Coin(id: $0, worth: 0, right: .id($0 + 1)) }.save(to: &context)
            let levels = [Nested](repeating: .entities, count: depth)
            var count = 0
            var next = Coin.query(0).with(levels).resolve(in: context)
            while let coin = next {
                next = coin.right
                count += 1
            }
            #expect(count == depth)
            #expect(Coin.query([0, 1]).with(\.$right) { $0.with(levels) }.count(in: context) == 2)
            let nested = Coin.query(0).with(\.$right) { $0.with(levels) }.resolve(in: context)
            #expect(nested?.right?.right?.right?.id == 3)
        }
    }
}
