import Foundation
import Testing
import VarveGraph

private enum Model {
    @EntityModel
    struct User {
        let id: String
        var age: Int = 0
    }

    /// Saves with different times of change, and answers the last of them.
    static func save(_ ids: [String], to context: inout Context) throws -> Date {
        var last = Date()
        for id in ids {
            while Date() <= last {}
            let user = User(id: id, age: ids.count)
            try user.save(to: &context)
            last = user.updatedAt(in: context) ?? last
        }
        while Date() <= last {}
        return last
    }
}

@Suite("Queries by metadata (SM-43, SM-61, 3.15)")
struct MetadataQueryConformanceTests {
    private typealias User = Model.User

    @Test("SM-61: a type-level query answers in the order of the last changes")
    func typeLevel() throws {
        var context = Context()
        _ = try Model.save(["a", "b", "c", "a"], to: &context)
        let everything = Date.distantPast...Date.distantFuture
        #expect(
            User.filter(.updated(within: everything)).resolve(in: context).map(\.id) == [
                "b", "c", "a",
            ])
        #expect(User.filter(.updated(within: everything)).resolve(in: Context()).isEmpty)
    }

    @Test("The manual's examples of metadata queries find what changed since a moment")
    func manualExamples() throws {
        var context = Context()
        var lastSync = try Model.save(["a", "b"], to: &context)
        lastSync.addTimeInterval(0.000_001)
        _ = try Model.save(["b", "c"], to: &context)
        let recentChanges =
            User
            .filter(.updated(within: lastSync...Date()))
            .resolve(in: context)
        let updatedEntities =
            User
            .filter(.metadata(\.updatedAt, within: lastSync...Date()))
            .resolve(in: context)
        #expect(recentChanges.map(\.id) == ["b", "c"])
        #expect(updatedEntities.map(\.id) == ["b", "c"])
    }

    @Test("3.15: both ends of the range belong to it")
    func closedRange() throws {
        var context = Context()
        let last = try Model.save(["a", "b"], to: &context)
        let first = try #require(User(id: "a").updatedAt(in: context))
        let ids = { (range: ClosedRange<Date>) in
            User.filter(.updated(within: range)).resolve(in: context).map(\.id)
        }
        #expect(ids(first...last) == ["a", "b"])
        #expect(ids(first...first) == ["a"])
        #expect(ids(last...last) == ["b"])
    }

    @Test("3.15: a list keeps its order, a single query answers nil outside the range")
    func listsAndSingles() throws {
        var context = Context()
        let mark = try Model.save(["a", "b", "c"], to: &context).addingTimeInterval(0.000_001)
        _ = try Model.save(["c", "a"], to: &context)
        let changed = MetadataPredicate.updated(within: mark...Date.distantFuture)
        #expect(User.query().filter(changed).resolve(in: context).map(\.id) == ["a", "c"])
        #expect(
            User.query(["c", "b", "a"]).filter(changed).resolve(in: context).map(\.id) == [
                "c", "a",
            ])
        #expect(User.query("a").filter(changed).resolve(in: context)?.id == "a")
        #expect(User.query("b").filter(changed).resolve(in: context) == nil)
        #expect(
            User.filter(\.age == 3).or(.filter(changed)).resolve(in: context).map(\.id) == [
                "b", "c", "a",
            ])
        #expect(User.filter(changed && \.age == 2).count(in: context) == 2)
    }

    @Test("SM-43: sorts by the last change, ascending and descending, ties in order")
    func sorting() throws {
        var context = Context()
        _ = try Model.save(["a", "b", "c", "b"], to: &context)
        #expect(
            User.query().sorted(by: .updatedAt).resolve(in: context).map(\.id) == ["a", "c", "b"])
        #expect(
            User.query().sorted(by: .updatedAt.desc).resolve(in: context).map(\.id) == [
                "b", "c", "a",
            ])
        #expect(
            User.query().sorted(by: .inserted.desc).resolve(in: context).map(\.id) == [
                "c", "b", "a",
            ])
        #expect(User.query().sorted(by: .transaction.desc).first().resolve(in: context)?.id == "a")
        #expect(User.query().sorted(by: .updatedAt).resolve(in: Context()).isEmpty)
    }

    @Test("A tombstone has a time of its own and is found by it")
    func tombstones() throws {
        var context = Context()
        let mark = try Model.save(["a", "b"], to: &context).addingTimeInterval(0.000_001)
        try User.delete(id: "a", from: &context)
        let gone = Deleted<User>.filter(.updated(within: mark...Date.distantFuture))
        #expect(gone.resolve(in: context).map(\.id) == ["a"])
    }
}
