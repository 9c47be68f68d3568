import Foundation
import Testing
import VarveGraph

private enum Model {
    struct Rank: Comparable, Sendable, Hashable {
        var value: Int
        static func < (first: Self, second: Self) -> Bool { first.value < second.value }
    }

    @EntityModel
    struct User {
        let id: String
        var age: Int
        var name: String = ""
        var height: Double = 0
        var rank: Rank { Rank(value: age) }
        @Relationship(inverse: \.members) var team: Team?
    }

    /// The same with indexes, which must change nothing.
    @EntityModel
    struct Indexed {
        @Index<Self>(\.age) private var byAge
        @Index<Self>(\.name.desc, \.age) private var byName

        let id: String
        var age: Int
        var name: String
    }

    @EntityModel
    struct Team {
        let id: String
        @Relationship(inverse: \.team) var members: [User]?
    }

    static func people(_ count: Int) throws -> Context {
        var context = Context()
        for index in 0..<count {
            try User(id: "\(index)", age: index % 4, name: "n\(index % 3)").save(to: &context)
        }
        return context
    }
}

@Suite("Cursor paging (SM-50, fault 17)")
struct PagingConformanceTests {
    private typealias User = Model.User
    private typealias Team = Model.Team

    /// All pages, each cursor written and read again.
    private func pages(
        of query: QueryList<User>, limit: Int, in context: inout Context,
        between: (inout Context, Int) throws -> Void = { _, _ in }
    ) throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: QueryCursor?
        repeat {
            let page = try query.page(after: cursor, limit: limit, in: context)
            pages.append(page.entities.map(\.id))
            cursor = try page.next.map {
                try JSONDecoder().decode(QueryCursor.self, from: JSONEncoder().encode($0))
            }
            try between(&context, pages.count)
        } while cursor != nil
        return pages
    }

    @Test("Pages in insertion order, and sorted, make up the whole answer")
    func wholeAnswer() throws {
        var context = try Model.people(10)
        #expect(
            try pages(of: User.query(), limit: 4, in: &context) == [
                ["0", "1", "2", "3"], ["4", "5", "6", "7"], ["8", "9"],
            ])
        let queries: [QueryList<User>] = [
            User.query(), User.filter(\.age > 0), User.query().sorted(by: \.age),
            User.query().sorted(by: \.age.desc), User.query().sorted(by: \.name.desc, \.age),
            User.query().sorted(by: \.age).sorted(by: \.name), User.filter(\.name == "n1"),
            User.query().sorted(by: .inserted.desc), User.query().sorted(by: \.height),
            User.query(["3", "1", "3", "9", "1"]), User.query().sorted(by: \.age).limit(7),
            User.query().limit(7, offset: 1).sorted(by: \.name),
            User.filter(\.age == 1).or(.filter(\.age == 3)),
        ]
        for query in queries {
            let whole = query.resolve(in: context).map(\.id)
            for limit in 1...4 {
                let found = try pages(of: query, limit: limit, in: &context)
                #expect(found.flatMap { $0 } == whole)
                #expect(found.dropLast().allSatisfy { $0.count == limit })
            }
        }
    }

    @Test("Fault 17: inserts and deletes between pages repeat nothing and skip nothing")
    func changesBetweenPages() throws {
        for query in [
            User.query(), User.query().sorted(by: \.age), User.query().sorted(by: \.name.desc),
        ] {
            var context = try Model.people(30)
            let seen = try pages(of: query, limit: 3, in: &context) { context, page in
                try User(id: "new\(page)", age: 0, name: "n9").save(to: &context)
                // What was on the page is deleted, the entity that the cursor names among it.
                for id in 0..<30 where id % 7 == page {
                    try User.delete(id: "\(id)", from: &context)
                }
            }.flatMap { $0 }
            #expect(Set(seen).count == seen.count)
            for user in User.query().resolve(in: context) where !user.id.hasPrefix("new") {
                #expect(seen.contains(user.id))
            }
        }
    }

    @Test("A cursor serves in another context with the same entities, such as a reopened one")
    func otherContext() throws {
        let context = try Model.people(9)
        let query = User.query().sorted(by: \.name)
        let first = try query.page(limit: 4, in: context)
        let again = try Model.people(9)
        let second = try query.page(after: first.next, limit: 9, in: again)
        #expect((first.entities + second.entities).map(\.id) == query.resolve(in: again).map(\.id))
    }

    @Test("The end of a last page shows what is inserted behind it later")
    func followingInserts() throws {
        var context = try Model.people(3)
        let page = try User.query().page(limit: 5, in: context)
        #expect(!page.hasMore && page.next == nil && page.end != nil)
        let empty = try User.query().page(after: page.end, limit: 5, in: context)
        #expect(empty.entities.isEmpty && empty.end == page.end)
        try User(id: "later", age: 1).save(to: &context)
        let more = try User.query().page(after: empty.end, limit: 5, in: context)
        #expect(more.entities.map(\.id) == ["later"])
    }

    @Test("A list in an order of its own goes on behind the last entity, or where it stood")
    func linkedLists() throws {
        var context = try Model.people(8)
        try Team(id: "t", members: .ids(["7", "5", "3", "1", "0", "2"])).save(to: &context)
        let members = Team.query("t").related(\.$members)
        let first = try members.page(limit: 2, in: context)
        #expect(first.entities.map(\.id) == ["7", "5"])
        try User.delete(id: "7", from: &context)
        let second = try members.page(after: first.next, limit: 2, in: context)
        #expect(second.entities.map(\.id) == ["3", "1"])
        try User.delete(id: "1", from: &context)
        let third = try members.page(after: second.next, limit: 9, in: context)
        #expect(third.entities.map(\.id) == ["0", "2"])
        let with = try members.with(\.$team).page(limit: 1, in: context)
        #expect(with.entities.first?.team?.id == "t")
    }

    @Test("A cursor of another query, or one that was tampered with, is refused by name")
    func refusals() throws {
        let context = try Model.people(8)
        let cursor = try User.query().sorted(by: \.age).page(limit: 2, in: context).next
        let name = User._descriptor.name
        #expect(
            throws: QueryCursorError.otherQuery(
                cursor: "\(name) by 1 value", query: "\(name) by 0 values")
        ) { try User.query().page(after: cursor, limit: 2, in: context) }
        #expect(throws: QueryCursorError.self) {
            try Team.query().page(after: cursor, limit: 2, in: context)
        }
        #expect(
            throws: QueryCursorError.unreadableValue(
                entity: name, property: "name", value: "[0]")
        ) { try User.query().sorted(by: \.name).page(after: cursor, limit: 2, in: context) }
        #expect(throws: QueryCursorError.self) {
            try User.query().sorted(by: \.rank).page(limit: 2, in: context)
        }
    }

    @Test("Indexes change neither pages nor the least and greatest values")
    func indexes() throws {
        var context = try Model.people(40)
        for user in User.query().resolve(in: context) {
            try Model.Indexed(id: user.id, age: user.age, name: user.name).save(to: &context)
        }
        let pairs: [(QueryList<User>, QueryList<Model.Indexed>)] = [
            (User.query().sorted(by: \.age), Model.Indexed.query().sorted(by: \.age)),
            (User.query().sorted(by: \.age.desc), Model.Indexed.query().sorted(by: \.age.desc)),
            (
                User.query().sorted(by: \.name.desc, \.age),
                Model.Indexed.query().sorted(by: \.name.desc, \.age)
            ),
            (
                User.filter(\.name == "n1").sorted(by: \.age),
                Model.Indexed.filter(\.name == "n1").sorted(by: \.age)
            ),
        ]
        for (plain, indexed) in pairs {
            var cursors: (QueryCursor?, QueryCursor?)
            repeat {
                let first = try plain.page(after: cursors.0, limit: 7, in: context)
                let second = try indexed.page(after: cursors.1, limit: 7, in: context)
                #expect(first.entities.map(\.id) == second.entities.map(\.id))
                #expect(first.hasMore == second.hasMore)
                cursors = (first.next, second.next)
            } while cursors.0 != nil
            #expect(indexed.max(\.age, in: context) == plain.max(\.age, in: context))
            #expect(indexed.min(\.age, in: context) == plain.min(\.age, in: context))
            #expect(indexed.min(\.name, in: context) == plain.min(\.name, in: context))
        }
        #expect(Model.Indexed.filter(\.age > 1).min(\.age, in: context) == 2)
        #expect(Model.Indexed.filter(\.age < 3).max(\.age, in: context) == 2)
    }

    @Test("A limit of nothing gives an empty page")
    func noLimit() throws {
        let context = try Model.people(2)
        #expect(try User.query().page(limit: 0, in: context).entities.isEmpty)
        #expect(try User.query().page(limit: 4, in: Context()).entities.isEmpty)
    }
}
