import Testing
import VarveGraph

private enum Shop {
    @EntityModel
    struct Order {
        let id: String
        @Relationship(deleteRule: .cascade, inverse: \.order) var lines: [Line]?
        @Relationship(inverse: \.orders) var customer: Customer?
        @Relationship var notes: [Note]? = nil

        /// As the manual writes it: inside the entity.
        func detachCustomer(in context: inout Context) throws {
            try detach(\.$customer, inverse: \.$orders, in: &context)
        }
        func deleteLines(from context: inout Context) throws {
            try delete(\.$lines, inverse: \.$order, from: &context)
        }
    }

    @EntityModel
    struct Line {
        let id: String
        var count = 1
        @Relationship(inverse: \.lines) var order: Order?
    }

    @EntityModel
    struct Customer {
        let id: String
        @Relationship(deleteRule: .deny, inverse: \.customer) var orders: [Order]?
        @Relationship(deleteRule: .cascade, inverse: \.customer) var account: Account?
    }

    @EntityModel
    struct Account {
        let id: String
        @Relationship(inverse: \.account) var customer: Customer?
        @Relationship(deleteRule: .deny) var guarantor: Customer?
    }

    @EntityModel
    struct Note {
        let id: String
    }
}

private typealias Order = Shop.Order
private typealias Line = Shop.Line
private typealias Customer = Shop.Customer

@Suite("Delete rules, detaching and deleting along a relation")
struct DetachingConformanceTests {
    private func shop() throws -> Context {
        var context = Context()
        try Order(
            id: "o", lines: .relation([Line(id: "1"), Line(id: "2"), Line(id: "3")]),
            customer: .relation(Customer(id: "c")),
            notes: .relation([Shop.Note(id: "n"), Shop.Note(id: "m")])
        ).save(to: &context)
        return context
    }

    private func lines(_ context: Context) -> [String] {
        Order.query("o").related(\.$lines).resolve(in: context).map(\.id)
    }

    @Test("SM-29: nullify leaves children and unlinks them, cascade deletes them")
    func nullifyAndCascade() throws {
        var context = try shop()
        try Order.delete(id: "o", from: &context)
        #expect(context.ids(Line.self) == [])
        #expect(context.ids(Deleted<Line>.self) == ["1", "2", "3"])
        #expect(Deleted<Line>.query("1").resolve(in: context)?.entity.$order.id == "o")
        #expect(context.ids(Customer.self) == ["c"] && context.ids(Shop.Note.self) == ["n", "m"])
        #expect(Customer.query("c").id(\.$orders).resolve(in: context)?.$orders.ids == [])
        context.checkInvariants()
    }

    @Test("deny keeps the entity as long as there are children, and names them")
    func deny() throws {
        var context = try shop()
        let before = context
        let error = ContextError.deleteDenied(
            type: Customer._descriptor.name, id: "c", relation: "orders", children: ["o"])
        #expect(throws: error) { try Customer.delete(id: "c", from: &context) }
        #expect("\(error)".contains("orders") && "\(error)".contains("o"))
        #expect(context.ids(Customer.self) == before.ids(Customer.self))
        #expect(Customer.query("c").related(\.$orders).resolve(in: context).map(\.id) == ["o"])
        #expect(context.count(Deleted<Customer>.self) == 0)
        try Order(id: "o").detach(\.$customer, in: &context)
        try Customer.delete(id: "c", from: &context)
        #expect(context.count(Customer.self) == 0)
        context.checkInvariants()
    }

    @Test("deny does not count what the same delete takes along")
    func denyWithinCascade() throws {
        var context = Context()
        try Shop.Account(id: "a", customer: .relation(Customer(id: "c")), guarantor: .id("c"))
            .save(to: &context)
        #expect(throws: ContextError.self) { try Shop.Account.delete(id: "a", from: &context) }
        try Customer.delete(id: "c", from: &context)
        #expect(context.count(Shop.Account.self) == 0)
    }

    @Test("SM-30: detach unlinks on both sides and deletes nothing")
    func detach() throws {
        var context = try shop()
        try Order(id: "o").detachCustomer(in: &context)
        #expect(Customer.query("c").related(\.$orders).resolve(in: context).isEmpty)
        try Order(id: "o").detach(["2", "9"], relation: \.$lines, inverse: \.$order, in: &context)
        #expect(lines(context) == ["1", "3"])
        try Order(id: "o").detach("1", relation: \.$lines, in: &context)
        #expect(lines(context) == ["3"])
        try Order(id: "o").detach(["n"], relation: \.$notes, in: &context)
        #expect(Order.query("o").related(\.$notes).resolve(in: context).map(\.id) == ["m"])
        try Order(id: "o").detach(\.$notes, in: &context)
        #expect(Order.query("o").related(\.$notes).resolve(in: context).isEmpty)
        #expect(context.count(Line.self) == 3 && context.count(Shop.Note.self) == 2)
        context.checkInvariants()
    }

    @Test("detaching what was never linked makes no link")
    func detachNothing() throws {
        var context = try shop()
        try Order(id: "p").save(to: &context)
        try Order(id: "p").detach(["1"], relation: \.$lines, in: &context)
        try Order(id: "q").detach(["1"], relation: \.$lines, in: &context)
        try Order(id: "q").detach(\.$lines, in: &context)
        #expect(lines(context) == ["1", "2", "3"])
        #expect(Order.query("p").id(\.$lines).resolve(in: context)?.$lines.ids == [])
        #expect(Line.query("1").related(\.$order).resolve(in: context)?.id == "o")
    }

    @Test("SM-31: delete along a relation deletes the children and unlinks them")
    func deleteChildren() throws {
        var context = try shop()
        try Order(id: "o").delete(
            ["1", "9"], relation: \.$lines, inverse: \.$order, from: &context)
        #expect(lines(context) == ["2", "3"])
        try Order(id: "o").delete("2", relation: \.$lines, from: &context)
        #expect(context.ids(Line.self) == ["3"])
        try Order(id: "o").deleteLines(from: &context)
        #expect(context.ids(Line.self) == [] && context.count(Deleted<Line>.self) == 3)
        try Order(id: "o").delete(\.$notes, from: &context)
        #expect(context.count(Shop.Note.self) == 0)
        #expect(Order.query("o").id(\.$notes).resolve(in: context)?.$notes.ids == [])
        context.checkInvariants()
    }

    @Test("a child of another parent is not deleted along a relation")
    func deleteForeignChildren() throws {
        var context = try shop()
        try Line(id: "x").save(to: &context)
        try Order(id: "o").delete(["x"], relation: \.$lines, from: &context)
        #expect(Line.query("x").exists(in: context))
    }

    @Test("SM-32: a relation is saved and linked without its owner")
    func saveRelation() throws {
        var context = try shop()
        let order = Order(id: "o", lines: .appending(relation: [Line(id: "4", count: 7)]))
        try order.save(\.$lines, inverse: \.$order, to: &context)
        #expect(lines(context) == ["1", "2", "3", "4"])
        #expect(Line.query("4").resolve(in: context)?.count == 7)
        try Order(id: "new", lines: .ids(["4"])).save(\.$lines, to: &context)
        #expect(!Order.query("new").exists(in: context))
        #expect(lines(context) == ["1", "2", "3"])
        context.checkInvariants()
    }

    @Test("SM-32: Relation.save saves the children only, and normalize forgets them")
    func saveChildren() throws {
        var context = Context()
        var order = Order(id: "o", lines: .relation([Line(id: "1")]))
        try order.$lines.save(&context)
        #expect(context.ids(Line.self) == ["1"])
        #expect(Line.query("1").id(\.$order).resolve(in: context)?.$order.isNone == true)
        order.$lines.normalize()
        #expect(order.$lines.isNone)
    }
}
