import Testing
import VarveTestSupport

@testable import VarveGraph

/// Whatever the planner chooses, the answer is that of a plain scan.
@Suite("Planned queries answer what a scan answers")
struct PlannerPropertyTests {
    static let ids = 160

    @Test("For random queries over random changes", arguments: 1...20)
    func randomQueries(seed: UInt64) throws {
        var generator = SampleGenerator(seed: seed)
        var context = Context()
        for round in 0..<12 {
            for _ in 0..<25 { change(&context, &generator) }
            context.checkInvariants()
            for _ in 0..<12 {
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

    private func compare(_ query: SampleQuery, in context: Context, _ place: String) throws {
        let all = PlainSample.query().resolve(in: context).map(\.sample)
        let wanted = query.answer(from: all).map(\.id)
        let plain = query.query(of: PlainSample.self)
        let indexed = query.query(of: IndexedSample.self)
        let (plainIDs, indexedIDs) = (
            plain.resolve(in: context).map(\.id), indexed.resolve(in: context).map(\.id)
        )
        let plan = indexed.explain(in: context)
        #expect(plainIDs == wanted, "\(place): \(query)\n\(plain.explain(in: context))")
        #expect(indexedIDs == wanted, "\(place): \(query)\n\(plan)")
        #expect(indexed.count(in: context) == wanted.count, "\(place): count of \(query)\n\(plan)")
        #expect(
            indexed.exists(in: context) == !wanted.isEmpty, "\(place): exists \(query)\n\(plan)")
        // What follows a query must not change what it finds.
        let transformed = indexed.adding(.transform(RowTransform("nothing") { slots, _ in slots }))
        #expect(
            transformed.resolve(in: context).map(\.id) == wanted, "\(place): slots of \(query)")
    }
}
