import Synchronization
import Testing
import VarveGraph
import VarveTestSupport

/// A node of a graph in which everything reaches everything within a few steps.
@EntityModel
private struct Stop: Equatable {
    static let loaded = Mutex(0)

    let id: Int
    @Relationship() var next: [Stop]?

    /// The list, with a condition that counts the nodes that it is asked for.
    static func nestedQueryModifier(
        _ query: Query<Stop>, in context: Context, nested: [Nested]
    ) -> Query<Stop> {
        let deeper = Array(nested.dropFirst())
        guard !nested.isEmpty else { return query }
        return query.with(\.$next) { next in
            let counted = next.filter(
                .satisfying { _ in
                    loaded.withLock { $0 += 1 }
                    return true
                })
            return deeper.isEmpty ? counted : counted.with(deeper)
        }
    }
}

@Suite("What depth lists cost", .serialized)
struct DepthListCostTests {
    private static let linkCount = 2

    private static func graph(_ count: Int) throws -> Context {
        var context = Context()
        try (0..<count).map { id in
            let next = [(id * 2 + 1) % count, (id * 2 + 2) % count]
            return Stop(id: id, next: .ids(next))
        }.save(to: &context)
        return context
    }

    /// How often a link was followed, to find what is to be loaded or to load it.
    private static func followed(_ body: () throws -> Void) rethrows -> Int {
        Stop.loaded.withLock { $0 = 0 }
        try body()
        return Stop.loaded.withLock { $0 }
    }

    // Each node of a level follows its links twice: once to find what comes next, once to load it. The last levels are
    // too near to the end to be kept.
    private static func limit(_ count: Int, levels: Int) -> Int {
        2 * linkCount * count * (levels + 2)
    }

    @Test("Each node of a level is loaded once, however many groups of rows lead to it")
    func groups() throws {
        for (count, depth) in [(1_000, 12), (1_000, 6)] {
            let context = try Self.graph(count)
            let levels = [Nested](repeating: .entities, count: depth)
            var visited = 0
            let followed = Self.followed {
                Stop.query().with(levels).forEach(in: context) { _ in visited += 1 }
            }
            #expect(visited == count)
            #expect(followed <= Self.limit(count, levels: depth), "\(followed) at \(depth)")
        }
    }

    @Test("More nodes than are kept are loaded some times, and not once for each group of rows")
    func manyNodes() throws {
        let (count, depth) = (20_000, 9)
        let context = try Self.graph(count)
        let levels = [Nested](repeating: .entities, count: depth)
        let followed = Self.followed {
            Stop.query().with(levels).forEach(in: context) { _ in }
        }
        #expect(followed <= 2 * Self.limit(count, levels: depth), "\(followed)")
        let groups = Self.followed {
            _ = Stop.query().related(\.$next).with(levels).resolve(in: context)
        }
        #expect(groups <= 2 * Self.limit(count, levels: depth), "\(groups)")
    }

    @Test("What a level has forgotten is loaded again, and is the same")
    func sameAgain() throws {
        let (count, depth) = (20_000, 3)
        let context = try Self.graph(count)
        let levels = [Nested](repeating: .entities, count: depth)
        var id = 0
        Stop.query().with(levels).forEach(in: context) { stop in
            #expect(stop.id == id)
            let next = [(id * 2 + 1) % count, (id * 2 + 2) % count]
            if stop.next?.map(\.id) != next { Issue.record("\(id): \(stop)") }
            let last = stop.next?[0].next?[1].next
            if last?.count != 2 { Issue.record("\(id): \(String(describing: last))") }
            id += 1
        }
        #expect(id == count)
    }
}
