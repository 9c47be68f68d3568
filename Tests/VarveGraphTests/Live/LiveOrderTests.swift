import Testing
import VarveTestSupport

@testable import VarveGraph

/// Live queries ask again where the row by row way gives up: right, and slow. These tests see that it does not
/// give up where it need not.
@Suite("Live orders, row by row")
struct LiveOrderTests {
    private enum Change: CaseIterable { case insertion, move, update, deletion, several }

    private static let queries: [(name: String, query: QueryList<PlainSample>)] = [
        ("all", PlainSample.query()),
        ("sorted", PlainSample.query().sorted(by: \.age)),
        ("filtered", PlainSample.filter(\.age > 30).sorted(by: \.age.desc)),
        ("both", PlainSample.filter(\.age > 10).and(PlainSample.filter(\.age < 90))),
        ("union", PlainSample.filter(\.age < 30).or(\.age > 60)),
        ("sorted union", PlainSample.filter(\.age < 50).or(\.age > 40).sorted(by: \.age)),
        (
            "union of sorted queries",
            PlainSample.filter(\.age < 50).sorted(by: \.age)
                .or(PlainSample.filter(\.age > 40).sorted(by: \.age.desc))
        ),
    ]

    private func save(
        _ id: Int, _ context: inout Context, _ random: inout SeededGenerator
    ) throws {
        var sample = Sample(id: id)
        sample.age = Int.random(in: 0..<100, using: &random)
        sample.city = "\(random.next())"
        try PlainSample(sample).save(to: &context)
    }

    /// Answers the ids that changed.
    private func make(
        _ change: Change, _ context: inout Context, _ random: inout SeededGenerator
    ) throws -> Set<Int> {
        let ids = PlainSample.query().resolve(in: context).map(\.id)
        let id = ids.randomElement(using: &random) ?? 0
        let new = (ids.max() ?? 0) + 1
        switch change {
        case .insertion:
            try save(new, &context, &random)
            return [new]
        case .move:
            try save(id, &context, &random)
            return [id]
        case .update:
            guard var sample = PlainSample.query(id).resolve(in: context) else { return [] }
            sample.city += "."
            try sample.save(to: &context)
            return [id]
        case .deletion:
            try PlainSample.delete(id: id, from: &context)
            return [id]
        case .several:
            return try [Change.insertion, .move, .update, .deletion].reduce(into: []) {
                $0.formUnion(try make($1, &context, &random))
            }
        }
    }

    /// Calls the body with every kind of change: tables before and after, and the slots that were touched.
    private func forEachChange(
        seed: UInt64,
        _ body: (
            _ before: Context, _ after: Context, _ changed: ContiguousArray<UInt32>, _ name: String
        ) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: seed)
        var context = Context()
        for id in 0..<160 { try save(id, &context, &random) }
        for round in 0..<4 {
            for change in Change.allCases {
                let before = context
                let ids = try make(change, &context, &random)
                var changed: Set<UInt32> = []
                for table in [
                    before.table(of: PlainSample.self), context.table(of: PlainSample.self),
                ] {
                    for id in ids {
                        if let slot = table?.slot(of: id) { changed.insert(slot.rawValue) }
                    }
                }
                try body(
                    before, context, ContiguousArray(changed),
                    "seed \(seed), round \(round), \(change)")
            }
        }
    }

    @Test(
        "Insertions, moves, updates and deletions are taken over into a whole list",
        arguments: 1...8 as ClosedRange<UInt64>)
    func lists(seed: UInt64) throws {
        try forEachChange(seed: seed) { before, after, changed, place in
            let tables = (
                try #require(before.table(of: PlainSample.self)),
                try #require(after.table(of: PlainSample.self))
            )
            for (name, query) in Self.queries {
                let order = try #require(LiveOrder(query), "\(name)")
                let old = SlotList(query.slots(in: before))
                let next = try #require(
                    order.advance(old, from: tables.0, to: tables.1, changed), "\(name), \(place)")
                #expect(next.slots.slots == query.slots(in: after), "\(name), \(place)")
            }
        }
    }

    @Test(
        "The same of a page, whose rows are cut from the first of the order",
        arguments: 1...8 as ClosedRange<UInt64>)
    func pages(seed: UInt64) throws {
        try forEachChange(seed: seed) { before, after, changed, place in
            let tables = (
                try #require(before.table(of: PlainSample.self)),
                try #require(after.table(of: PlainSample.self))
            )
            for (name, query) in Self.queries {
                let page = try #require(LivePage(limit: 4, offset: 3))
                let order = try #require(LiveOrder(query), "\(name)")
                let old = LiveHead(page, query.limit(page.reserve).slots(in: before))
                let next = try #require(
                    order.advance(old, page, from: tables.0, to: tables.1, changed),
                    "\(name), \(place)")
                #expect(
                    page.slots(of: next).slots == query.limit(4, offset: 3).slots(in: after),
                    "\(name), \(place)")
            }
        }
    }
}
