import Testing
import VarveTestSupport

@testable import VarveGraph

/// Whatever the planner chooses, the answer is that of a plain scan.
@Suite("Planned queries answer what a scan answers")
struct PlannerPropertyTests {
    static let ids = 160

    @Test("For random queries over random changes", arguments: 1...12)
    func randomQueries(seed: UInt64) throws {
        var generator = SampleGenerator(seed: seed)
        var context = Context()
        for round in 0..<6 {
            for _ in 0..<25 { change(&context, &generator) }
            context.checkInvariants()
            for _ in 0..<8 {
                let query = generator.query(ids: Self.ids)
                try compare(query, in: context, "seed \(seed), round \(round)")
            }
        }
    }

    /// The same change to both types: a save, a merge, a deletion, or one that is rolled back.
    private func change(_ context: inout Context, _ generator: inout SampleGenerator) {
        let sample = generator.sample(id: Int.random(in: 0..<Self.ids, using: &generator.random))
        let others =
            generator.chance(10)
            ? (0..<3).map { _ in Int.random(in: 0..<Self.ids, using: &generator.random) } : nil
        let kind = Int.random(in: 0..<100, using: &generator.random)
        change(PlainSample.self, sample, others, kind, &context)
        change(IndexedSample.self, sample, others, kind, &context)
    }

    private func change<Entity: SampleEntity>(
        _ type: Entity.Type, _ sample: Sample, _ others: [Int]?, _ kind: Int,
        _ context: inout Context
    ) {
        var entity = Entity(sample)
        if let others { entity = entity.linked(to: others) }
        do {
            switch kind {
            case 0..<15: try Entity.delete(id: sample.id, from: &context)
            case 15..<30: try entity.save(to: &context, options: .fragment)
            case 30..<40: try entity.failing.save(to: &context)
            default: try entity.save(to: &context)
            }
        } catch is SampleError {
            // Rolled back.
        } catch {
            Issue.record(error)
        }
    }

    /// The first failure of a seed ends it: what follows from it would say nothing new.
    private func compare(_ query: SampleQuery, in context: Context, _ place: String) throws {
        let all = PlainSample.query().resolve(in: context).map(\.sample)
        let plain = query.query(of: PlainSample.self)
        let wanted =
            query.isRanked
            ? plain.resolve(in: context).map(\.id) : query.answer(from: all).map(\.id)
        let indexed = query.query(of: IndexedSample.self)
        let plan = indexed.explain(in: context)
        let words = "\(place): \(query.steps), ids \(query.ids ?? []), \(plan)"
        try #require(plain.resolve(in: context).map(\.id) == wanted, "plain \(words)")
        try #require(indexed.resolve(in: context).map(\.id) == wanted, "indexed \(words)")
        try #require(indexed.count(in: context) == wanted.count, "count \(words)")
        try #require(indexed.exists(in: context) == !wanted.isEmpty, "exists \(words)")
        try compareAlternatives(of: indexed, in: context, words)
        // A step that the planner knows nothing of must not change what it finds.
        let transformed = indexed.adding(.transform(RowTransform("nothing") { slots, _ in slots }))
        try #require(transformed.resolve(in: context).map(\.id) == wanted, "slots \(words)")
    }

    /// Ways that are too dear for so few rows must be right as well.
    private func compareAlternatives(
        of query: QueryList<IndexedSample>, in context: Context, _ words: String
    ) throws {
        guard case .all = query.source, let table = context.table(of: IndexedSample.self) else {
            return
        }
        let ways = QueryPlanner(table, QueryHead(of: query.plan.steps)).alternatives()
        let wanted = slots(of: ways[0].rows, in: table)
        for way in ways.dropFirst() {
            let found = slots(of: way.rows, in: table)
            try #require(found == wanted, "\(way.rows.access(in: table)): \(words)")
            if let count = way.rows.knownCount(of: table.liveCount) {
                try #require(count == wanted.count, "\(way.rows.access(in: table)): \(words)")
            }
        }
    }

    private func slots(
        of rows: PlannedRows, in table: Table<IndexedSample>
    ) -> [UInt32] {
        var slots: [UInt32] = []
        rows.forEachRow(in: table, isTransient: true) { slot, _ in
            slots.append(slot)
            return true
        }
        return slots
    }
}
