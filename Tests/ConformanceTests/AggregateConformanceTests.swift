import Testing
import VarveGraph

private enum Model {
    @EntityModel
    struct Order {
        let id: Int
        var customer: String
        var total: Int
        var weight: Double = 0
        var discount: Int?
        var score: Double?
        var small: Int8 = 0
        var amount: Duration = .zero
        @Relationship(inverse: \.order) var lines: [Line]?
    }

    @EntityModel
    struct Line {
        let id: Int
        @Relationship(inverse: \.lines) var order: Order?
    }

    static func orders() throws -> Context {
        var context = Context()
        let rows: [(String, Int, Double, Int?, Double?)] = [
            ("b", 30, 1.5, nil, 4), ("a", 10, 2.5, 2, nil), ("b", 50, 4, 5, 1),
            ("c", -20, 0, nil, 9),
        ]
        for (index, row) in rows.enumerated() {
            try Order(
                id: index, customer: row.0, total: row.1, weight: row.2, discount: row.3,
                score: row.4, small: 100, amount: .seconds(index)
            ).save(to: &context)
        }
        return context
    }
}

@Suite("Aggregates, groups and projections (SM-50, SD-28 to SD-30)")
struct AggregateConformanceTests {
    private typealias Order = Model.Order
    private typealias Line = Model.Line

    @Test("Counting and existence copy nothing and follow every step")
    func counting() throws {
        let context = try Model.orders()
        #expect(Order.query().count(in: context) == 4)
        #expect(Order.filter(\.customer == "b").count(in: context) == 2)
        #expect(Order.query().limit(3).filter(\.total > 20).count(in: context) == 2)
        #expect(Order.query([1, 9, 1]).count(in: context) == 2)
        #expect(Order.filter(\.total > 40).exists(in: context))
        #expect(!Order.filter(\.total > 50).exists(in: context))
        #expect(Order.filter(\.total > 50).isEmpty(in: context))
        #expect(Order.query(2).exists(in: context) && !Order.query(9).exists(in: context))
        #expect(Order.query().isEmpty(in: Context()))
    }

    @Test("Least, greatest, sum and mean of a property; none of nothing, and a sum of zero")
    func numbers() throws {
        let context = try Model.orders()
        #expect(Order.query().min(\.total, in: context) == -20)
        #expect(Order.query().max(\.total, in: context) == 50)
        #expect(Order.query().max(\.customer, in: context) == "c")
        #expect(try Order.query().sum(\.total, in: context) == 70)
        #expect(Order.query().average(\.total, in: context) == 17.5)
        #expect(Order.query().sum(\.weight, in: context) == 8)
        #expect(Order.query().average(\.weight, in: context) == 2)
        #expect(Order.query().sum(\.amount, in: context) == .seconds(6))
        #expect(Order.query().sorted(by: \.id).limit(2).max(\.total, in: context) == 30)
        #expect(try Order.query([2, 2]).sum(\.total, in: context) == 100)
        let none = Order.filter(\.total > 1000)
        #expect(none.min(\.total, in: context) == nil && none.max(\.weight, in: context) == nil)
        #expect(none.average(\.total, in: context) == nil)
        #expect(none.average(\.weight, in: context) == nil)
        #expect(try none.sum(\.total, in: context) == 0)
        #expect(Order.query().max(\.total, in: Context()) == nil)
    }

    @Test("Nil values do not count")
    func optionals() throws {
        let context = try Model.orders()
        #expect(Order.query().min(\.discount, in: context) == 2)
        #expect(Order.query().max(\.score, in: context) == 9)
        #expect(try Order.query().sum(\.discount, in: context) == 7)
        #expect(Order.query().average(\.discount, in: context) == 3.5)
        #expect(Order.query().sum(\.score, in: context) == 14)
        #expect(Order.query().average(\.score, in: context) == 14.0 / 3)
        let none = Order.filter(\.discount == nil)
        #expect(none.max(\.discount, in: context) == nil)
        #expect(none.average(\.discount, in: context) == nil)
    }

    @Test("NaN is the greatest of numbers, as in sorts")
    func notANumber() throws {
        var context = try Model.orders()
        try Order(id: 9, customer: "n", total: 0, weight: .nan).save(to: &context)
        #expect(Order.query().min(\.weight, in: context) == 0)
        #expect(Order.query().max(\.weight, in: context)?.isNaN == true)
        #expect(Order.query().sorted(by: \.weight).last().resolve(in: context)?.id == 9)
    }

    @Test("A sum that does not fit its type says so by name; sums on the way may leave the type")
    func overflow() throws {
        var context = try Model.orders()
        #expect(
            throws: AggregateError.sumOutOfRange(
                entity: Order._descriptor.name, property: "small")
        ) { try Order.query().sum(\.small, in: context) }
        #expect(Order.query().average(\.small, in: context) == 100)
        for (id, value) in [(10, -100), (11, -100), (12, -100)] {
            try Order(id: id, customer: "", total: 0, small: Int8(value)).save(to: &context)
        }
        #expect(try Order.query().sum(\.small, in: context) == 100)
    }

    @Test("Groups come in the order in which their keys are met, and so do their entities")
    func groups() throws {
        var context = try Model.orders()
        try Line(id: 1, order: .id(2)).save(to: &context)
        let groups = Order.query().with(\.$lines).grouped(by: \.customer)
        #expect(groups.keys(in: context) == ["b", "a", "c"])
        #expect(groups.counts(in: context).map(\.key) == ["b", "a", "c"])
        #expect(groups.counts(in: context).map(\.count) == [2, 1, 1])
        let found = groups.resolve(in: context)
        #expect(found.map { $0.entities.map(\.id) } == [[0, 2], [1], [3]])
        #expect(found[0].entities[1].lines?.map(\.id) == [1])
        #expect(groups.dictionary(in: context)["b"]?.count == 2)
        let sorted = Order.query().sorted(by: \.customer.desc, \.total.desc).grouped(by: \.customer)
        #expect(sorted.resolve(in: context).map { $0.entities.map(\.id) } == [[3], [2, 0], [1]])
        let sums = try groups.map(in: context) { try $0.sum(\.total, in: context) }
        #expect(sums.map(\.value) == [80, 10, -20])
        #expect(Order.query().grouped(by: \.discount).keys(in: context) == [nil, 2, 5])
        #expect(groups.counts(in: Context()).isEmpty)
    }

    @Test("A projection answers typed tuples of properties")
    func projections() throws {
        let context = try Model.orders()
        let pairs: [(String, Int)] = Order.filter(\.total > 0).select(\.customer, \.total)
            .resolve(in: context)
        #expect(pairs.map(\.0) == ["b", "a", "b"] && pairs.map(\.1) == [30, 10, 50])
        let names: [String] = Order.query().sorted(by: \.total).select(\.customer)
            .resolve(in: context)
        #expect(names == ["c", "a", "b", "b"])
        let computed = Order.query().limit(1).select(\.customer.count, \.discount, \.weight)
            .resolve(in: context)
        #expect(computed.first?.0 == 1 && computed.first?.1 == nil && computed.first?.2 == 1.5)
        let four = Order.query(1).select(\.id, \.customer, \.total, \.discount).first(in: context)
        #expect(four?.0 == 1 && four?.1 == "a" && four?.2 == 10 && four?.3 == 2)
        let one: (String, Int)? = Order.query(2).select(\.customer, \.total).first(in: context)
        #expect(one?.0 == "b" && one?.1 == 50)
        #expect(Order.query(7).select(\.total).first(in: context) == nil)
    }
}
