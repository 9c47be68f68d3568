import Testing
import VarveGraph

@EntityModel
private struct Leg: Equatable {
    @Index<Self>(\.length) private var lengthIndex

    let id: Int
    var length: Int

    @Relationship(inverse: \.legs) var tour: Tour?
}

@EntityModel
private struct Tour: Equatable {
    let id: Int
    var name: String

    @Relationship(inverse: \.tour) var legs: [Leg]?
}

@Suite("Passing over what a query finds")
struct QueryVisitingTests {
    private struct Enough: Error {}

    private static func makeContext() throws -> Context {
        var context = Context()
        for id in 0..<300 {
            try Tour(id: id, name: "tour \(id)").save(to: &context)
            for leg in 0..<3 {
                try Leg(id: id * 3 + leg, length: (id * 7 + leg) % 50, tour: .id(id))
                    .save(to: &context)
            }
        }
        return context
    }

    @Test("The entities are those of `resolve`, in the same order, whatever the query is made of")
    func sameAsResolve() throws {
        let context = try Self.makeContext()
        let queries: [(String, QueryList<Leg>)] = [
            ("all", Leg.query()),
            ("by an index", Leg.filter(\.length >= 10 && \.length < 20)),
            ("in the order of an index", Leg.query().sorted(by: \.length)),
            ("sorted, a page", Leg.query().sorted(by: \.length.desc, \.id).limit(70, offset: 33)),
            ("by id", Leg.query([5, 3, 9_999, 4])),
            ("related", Tour.query(7).related(\.$legs)),
            ("none", Leg.filter(\.length == 1_000)),
        ]
        for (name, query) in queries {
            var passed: [Leg] = []
            query.forEach(in: context) { passed.append($0) }
            #expect(passed == query.resolve(in: context), "\(name)")
        }
    }

    @Test("What the query loads of relations is there, for more entities than are filled at once")
    func loadsRelations() throws {
        let context = try Self.makeContext()
        var ids: [[Int]?] = []
        Tour.query().with(\.$legs).forEach(in: context) { tour in
            #expect(tour.legs?.allSatisfy { $0.length >= 0 } == true)
            ids.append(tour.$legs.ids)
        }
        #expect(ids == (0..<300).map { [$0 * 3, $0 * 3 + 1, $0 * 3 + 2] })
    }

    @Test("An error of the body ends the pass and comes out with its type")
    func stops() throws {
        let context = try Self.makeContext()
        for query in [Leg.query(), Leg.query().sorted(by: \.length), Leg.query().with(\.$tour)] {
            var count = 0
            #expect(throws: Enough.self) {
                try query.forEach(in: context) { (_) throws(Enough) in
                    count += 1
                    if count == 5 { throw Enough() }
                }
            }
            #expect(count == 5)
        }
    }

    @Test("A context without the type has nothing to pass over")
    func empty() {
        var count = 0
        Leg.query().forEach(in: Context()) { _ in count += 1 }
        #expect(count == 0)
    }
}
