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

    private func expect(
        _ query: QueryList<IndexedSample>, _ wanted: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let plan = try query.explain(in: context()).description
        #expect(plan == wanted, sourceLocation: sourceLocation)
    }

    @Test("A query may have more conditions than plans keep account of")
    func manyConditions() throws {
        let context = try context()
        var many = IndexedSample.query()
        for _ in 0..<80 { many = many.filter(\.note == "") }
        let ages = (0..<1_000).filter { $0 % 100 == 5 }
        let either = (0..<1_000).filter { [5, 6].contains($0 % 100) }
        #expect(many.filter(\.age == 5).resolve(in: context).map(\.id) == ages)
        #expect(many.filter(\.age == 5 || \.age == 6).resolve(in: context).map(\.id) == either)
        let first = IndexedSample.filter(\.age == 5).and(many)
        #expect(first.resolve(in: context).map(\.id) == ages)
        #expect(first.filter(\.note != "").count(in: context) == 0)
        #expect(
            first.explain(in: context).description.hasPrefix(
                "IndexedSample: ordered index byAge (age), 10 candidates"))
    }

    @Test("An index that names one row is taken at once")
    func oneRow() throws {
        let context = try context()
        let query = IndexedSample.filter(\.age >= 0 && \.score == 17)
        #expect(query.resolve(in: context).map(\.id) == [17])
        try expect(
            query,
            """
            IndexedSample: ordered index byScore (score), 1 candidates
              test each: age >= 0 && score == 17.0
              put in insertion order
            """)
        #expect(IndexedSample.filter(\.score == 1_017).count(in: context) == 0)
        #expect(query.sorted(by: \.age).limit(5).resolve(in: context).map(\.id) == [17])
        #expect(query.limit(5, offset: 1).resolve(in: context).isEmpty)
    }

    @Test("A condition without an index is tested on every row")
    func scan() throws {
        try expect(
            IndexedSample.filter(\.note == "" && .satisfying { $0.age > 3 }),
            """
            IndexedSample: scan, 1000 candidates
              test each: note == "" && a closure
            """)
    }

    @Test("A comparison takes its index, and what the index answers exactly is not tested")
    func range() throws {
        try expect(
            IndexedSample.filter(\.age > 97),
            """
            IndexedSample: ordered index byAge (age), 20 candidates
              put in insertion order
            """)
        try expect(
            IndexedSample.filter(\.score > 990).filter(\.note == "a"),
            """
            IndexedSample: ordered index byScore (score), 9 candidates
              test each: score > 990.0 && note == "a"
              put in insertion order
            """)
        try expect(
            IndexedSample.filter(\.score > 990 && \.score < 995),
            """
            IndexedSample: ordered index byScore (score), 4 candidates
              put in insertion order
            """)
    }

    @Test("Equality on the first properties of an index and a range on the next are one range")
    func prefix() throws {
        try expect(
            IndexedSample.filter(\.age >= 90).filter(\.city == "City 3"),
            """
            IndexedSample: ordered index byCityAndAge (city, age), 15 candidates
              put in insertion order
            """)
    }

    @Test("A prefix is a range of an ordered index, or some where case does not count")
    func textPrefix() throws {
        try expect(
            IndexedSample.filter(.string(\.city, hasPrefix: "City 3", caseSensitive: true)),
            """
            IndexedSample: ordered index byCityAndAge (city), 143 candidates
              test each: city has prefix "City 3", case-sensitive
              put in insertion order
            """)
        try expect(
            IndexedSample.filter(\.age == 3 && .string(\.city, hasPrefix: "x")),
            """
            IndexedSample: ordered index byCityAndAge (city), 0 candidates
              test each: age == 3 && city has prefix "x"
              put in insertion order
            """)
        let context = try context()
        let plan = IndexedSample.filter(.string(\.city, hasPrefix: "city 3")).explain(in: context)
        #expect(plan.access == .scan, "the first three letters of all cities are these")
        #expect(
            IndexedSample.filter(.string(\.name, hasPrefix: "n")).explain(in: context).candidates
                == 0)
    }

    @Test("Hash and unique indexes serve equality, and rows are tested for it again")
    func hash() throws {
        try expect(
            IndexedSample.filter(.property(\.id, isIn: [3, 5, 3])),
            """
            IndexedSample: unique index uniqueNumber (id), 2 ranges, 2 candidates
              test each: id in [3, 5]
              put in insertion order
            """)
    }

    @Test("Branches that are all served are united")
    func union() throws {
        try expect(
            IndexedSample.filter(\.age == 5 || \.id == 7 || \.age > 98),
            """
            IndexedSample: any of (ordered index byAge (age); unique index uniqueNumber (id); \
            ordered index byAge (age)), 21 candidates
              test each: age == 5 || id == 7 || age > 98
              put in insertion order
            """)
    }

    @Test("An index in the order of a sort is walked as far as rows are wanted")
    func walk() throws {
        let query = IndexedSample.query().sorted(by: \.age.desc)
        try expect(
            query.limit(5, offset: 2),
            """
            IndexedSample: back along ordered index byAge (age), 1000 candidates
              stop when there are enough
              limit 5, offset 2
            """)
        try expect(
            IndexedSample.filter(\.city == "City 3").sorted(by: \.age.desc).limit(3),
            """
            IndexedSample: along ordered index byCityAndAge (city, age), 143 candidates
              stop when there are enough
              limit 3
            """)
    }

    @Test("Without such an index the first rows are selected")
    func selection() throws {
        try expect(
            IndexedSample.filter(\.age == 3).sorted(by: \.note, \.id.desc).limit(5)
                .filter(\.isActive == true),
            """
            IndexedSample: ordered index byAge (age), 10 candidates
              select the first 5 by note, id.desc
              limit 5
              filter isActive == true
            """)
    }

    @Test("Ids and relations name their rows themselves")
    func sources() throws {
        try expect(
            IndexedSample.query([3, 1]).filter(\.age > 1),
            """
            IndexedSample: by id, 2 candidates
              filter age > 1
            """)
    }

    @Test("Texts are looked up by their words, and ranked ones come best first")
    func text() throws {
        var context = try context()
        for number in 0..<40 {
            var sample = Sample(id: number, age: number)
            sample.note = number % 10 == 0 ? "the quick fox" : "a lazy dog sleeps"
            try IndexedSample(sample).save(to: &context)
        }
        let plain = IndexedSample.filter(.string(\.note, contains: "quick"))
        #expect(
            plain.explain(in: context).description == """
                IndexedSample: text index noteWords (note), 4 candidates
                  test each: note contains "quick"
                  put in insertion order
                """)
        let ranked = IndexedSample.filter(\.age < 15).filter(.string(\.note, matches: "fox"))
        #expect(
            ranked.limit(1).explain(in: context).description == """
                IndexedSample: by rank in text index noteWords (note), 4 candidates
                  test each: age < 15
                  stop when there are enough
                  limit 1
                """)
        #expect(ranked.resolve(in: context).map(\.id) == [0, 10])
    }

    @Test("A plan is safe to print whatever is looked for")
    func hostileNeedle() throws {
        let plan = IndexedSample.filter(.string(\.note, contains: "a\u{202E}b\u{1B}[2J"))
            .explain(in: try context()).description
        #expect(plan.contains(#"note contains "a\u{202E}b\u{1B}[2J""#), "\(plan)")
    }

    @Test("An index of an optional's nilFirst serves comparisons of the optional itself")
    func optionals() throws {
        try expect(
            IndexedSample.filter(\.rank == nil && \.age > 3),
            """
            IndexedSample: ordered index byRank (rank.nilFirst), 0 candidates
              test each: age > 3
              put in insertion order
            """)
        try expect(
            IndexedSample.filter(\.rank < 0),
            """
            IndexedSample: ordered index byRank (rank.nilFirst), 0 candidates
              put in insertion order
            """)
    }
}
