import Testing
import VarveGraph

@Suite("Plans")
struct ExplainTests {
    private func context() throws -> Context {
        var context = Context()
        for number in 0..<1_000 {
            try IndexedSample(
                Sample(
                    id: number, age: number % 100, city: "City \(number % 7)",
                    score: Double(number), rank: number % 3)
            ).save(to: &context)
        }
        return context
    }

    private func plan(_ query: QueryList<IndexedSample>) throws -> String {
        try query.explain(in: context()).description
    }

    @Test("A condition without an index is tested on every row")
    func scan() throws {
        #expect(
            try plan(IndexedSample.filter(\.isActive == true && .satisfying { $0.age > 3 })) == """
                IndexedSample: scan, 1000 candidates
                  test each: isActive == true && a closure
                """)
    }
}
