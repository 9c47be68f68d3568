import Foundation
import Testing
import VarveGraph

private enum Forum {
    @EntityModel
    struct Export {
        let id: String
        @Relationship var members: [Member]? = nil
        @Relationship var rooms: [Room]? = nil
    }

    @EntityModel
    struct Member {
        let id: String
    }

    @EntityModel
    struct Room {
        let id: String
        @Relationship var members: [Member]? = nil
        @Relationship(inverse: \.room) var posts: [Post]?
        @Relationship var owners: [Member]? = nil
    }

    @EntityModel
    struct Post {
        let id: String
        @Relationship var author: Member? = nil
        @Relationship(inverse: \.posts) var room: Room?
    }
}

@Suite("The order of the entities of one save (SM-48, SM-61, SM-69)")
struct SaveOrderConformanceTests {
    private typealias Export = Forum.Export
    private typealias Member = Forum.Member
    private typealias Room = Forum.Room
    private typealias Post = Forum.Post

    /// A room whose save saves its members, each of them again as an author, and one of them as an owner.
    private func filled() throws -> Context {
        var context = Context()
        let members = ["1", "2", "5", "3", "4"].map { Member(id: $0) }
        let authors = ["4", "2", "1", "5", "3"]
        try Room(
            id: "r", members: .relation(members),
            posts: .relation(
                authors.enumerated().map {
                    Post(id: "\($0)", author: .relation(Member(id: $1)))
                }),
            owners: .relation([Member(id: "1")])
        ).save(to: &context)
        try Export(id: "e").save(to: &context)
        return context
    }

    private func members(_ nested: Nested, in context: Context) -> [String]? {
        Export.queryAll(with: nested, .ids).resolve(in: context).first?.members?.map(\.id)
    }

    @Test("A schema list has them in the order in which they were last saved")
    func schemaEntities() throws {
        let context = try filled()
        #expect(members(.schemaEntities, in: context) == ["4", "2", "5", "3", "1"])
        #expect(members(.schemaFragments, in: context) == ["4", "2", "5", "3", "1"])
        #expect(
            QueryList<Member>.schemaQuery().resolve(in: context).map(\.id)
                == ["4", "2", "5", "3", "1"])
    }

    @Test("Of a range of time that begins behind the save, what came since")
    func latestRange() throws {
        var context = try filled()
        let mark = Date()
        // Times are kept to the microsecond.
        while Date() <= mark + 0.000_01 {}
        try ["3", "6", "2"].map { Member(id: $0) }.save(to: &context)
        #expect(
            members(
                .schemaEntities(filter: .updated(within: mark...Date.distantFuture)), in: context)
                == ["3", "6", "2"])
        #expect(members(.schemaEntities, in: context) == ["4", "5", "1", "3", "6", "2"])
    }

    @Test("Of a range of time that ends before the newest save, what was saved until then")
    func olderRange() throws {
        var context = try filled()
        let mark = Date()
        // Times are kept to the microsecond.
        while Date() <= mark + 0.000_01 {}
        try Member(id: "5").save(to: &context)
        let filter = MetadataPredicate.updated(within: Date.distantPast...mark)
        #expect(members(.schemaEntities(filter: filter), in: context) == ["4", "2", "3", "1"])
        #expect(Member.filter(filter).resolve(in: context).map(\.id) == ["4", "2", "3", "1"])
        #expect(
            Member.query().sorted(by: .updatedAt).resolve(in: context).map(\.id)
                == ["1", "2", "3", "4", "5"])
    }

    @Test("The order outlives copies, deletions and saves that fail")
    func copies() throws {
        var context = try filled()
        try Member.delete(id: "2", from: &context)
        try Deleted<Member>.query("2").resolve(in: context)?.restore(in: &context)
        let copy = context
        #expect(throws: (any Error).self) {
            try Picky(id: "p", member: .relation(Member(id: "4"))).save(to: &context)
        }
        for context in [context, copy] {
            #expect(members(.schemaEntities, in: context) == ["4", "5", "3", "1", "2"])
        }
    }
}

@EntityModel
private struct Picky {
    struct Refusal: Error {}

    let id: String
    @Relationship var member: Forum.Member? = nil

    func didSave(to context: inout Context) throws { throw Refusal() }
}
