import Testing
import VarveTestSupport

@testable import VarveGraph

@EntityModel
private struct Account: Equatable {
    @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
    @Unique<Self>(\.badge, collisions: .throw.ignoringNil) private var uniqueBadge
    @Unique<Self>(\.country, \.number, collisions: .throw) private var uniqueNumber

    let id: Int
    var email: String
    var badge: Int?
    var country = "de"
    var number = 0
}

@Suite("Queries by a unique value")
struct UniqueLookupTests {
    private func account(_ id: Int, _ email: String, badge: Int? = nil) -> Account {
        Account(id: id, email: email, badge: badge, number: id)
    }

    private func isLookedUp(_ query: QueryList<Account>, in context: Context) throws -> Bool {
        let table = try #require(context.table(of: Account.self))
        return query.plan.list.visitUniqueRow(in: table) { _ in } != nil
    }

    @Test("Such a query needs no plan, alone or behind a limit that one row does not reach")
    func noPlan() throws {
        var context = Context()
        try account(1, "a").save(to: &context)
        let query = Account.filter(\.email == "a")
        for lookedUp in [query, query.limit(1), query.limit(7), query.first().list] {
            #expect(try isLookedUp(lookedUp, in: context))
            #expect(lookedUp.resolve(in: context).map(\.id) == [1])
            #expect(lookedUp.count(in: context) == 1)
        }
        let planned = [
            query.limit(0), query.limit(1, offset: 1), query.filter(\.number == 1),
            query.filter(\.number == 2), Account.filter(\.email > "A"),
            Account.filter(\.email != "b"), Account.filter(\.number == 1), Account.query(),
        ]
        for query in planned {
            #expect(try !isLookedUp(query, in: context))
        }
        #expect(planned.map { $0.count(in: context) } == [0, 0, 1, 0, 1, 1, 1, 1])
    }

    @Test("It finds nothing for a value that no row has, or has any more")
    func absent() throws {
        var context = Context()
        #expect(Account.filter(\.email == "a").resolve(in: context).isEmpty)
        try account(1, "a").save(to: &context)
        let before = context
        try account(1, "b").save(to: &context)
        try account(2, "c").save(to: &context)
        try Account.delete(id: 2, from: &context)
        for email in ["a", "c", ""] {
            #expect(Account.filter(\.email == email).resolve(in: context).isEmpty)
            #expect(!Account.filter(\.email == email).exists(in: context))
            #expect(Account.filter(\.email == email).count(in: context) == 0)
        }
        #expect(Account.filter(\.email == "b").resolve(in: context).map(\.id) == [1])
        #expect(Account.filter(\.email == "a").resolve(in: before).map(\.id) == [1])
    }

    @Test("Rows without a value, of which there may be many, come in their order")
    func severalRows() throws {
        var context = Context()
        try account(3, "c").save(to: &context)
        #expect(Account.filter(\.badge == nil).resolve(in: context).map(\.id) == [3])
        for id in [2, 1] { try account(id, "\(id)").save(to: &context) }
        try account(4, "d", badge: 7).save(to: &context)
        #expect(try !isLookedUp(Account.filter(\.badge == nil), in: context))
        #expect(Account.filter(\.badge == nil).resolve(in: context).map(\.id) == [3, 2, 1])
        #expect(Account.filter(\.badge == 7).resolve(in: context).map(\.id) == [4])
    }

    @Test("It finds what a test of all rows finds, whatever was done before", arguments: 1...20)
    func likeAScan(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var context = Context()
        for round in 0..<60 {
            let id = Int.random(in: 0..<24, using: &generator)
            let email = "mail\(Int.random(in: 0..<16, using: &generator))"
            let badge =
                Bool.random(using: &generator) ? nil : Int.random(in: 0..<9, using: &generator)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try Account.delete(id: id, from: &context)
            } else {
                // Of a value that another row has, nothing is saved.
                _ = try? account(id, email, badge: badge).save(to: &context)
            }
            let all = Account.query().resolve(in: context)
            let byEmail = Account.filter(\.email == email)
            let byBadge = Account.filter(\.badge == badge)
            let place: Comment = "seed \(seed), round \(round)"
            #expect(byEmail.resolve(in: context) == all.filter { $0.email == email }, place)
            #expect(byEmail.count(in: context) == all.count { $0.email == email }, place)
            #expect(byBadge.resolve(in: context) == all.filter { $0.badge == badge }, place)
            #expect(byBadge.first().resolve(in: context) == all.first { $0.badge == badge }, place)
        }
    }
}
