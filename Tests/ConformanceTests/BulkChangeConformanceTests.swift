import Testing
import VarveGraph

private enum Model {
    struct Refused: Error, Equatable {}

    @EntityModel
    struct User {
        let id: Int
        var name: String
        var age: Int
        var email: String?
        var saves = 0
        @Relationship(deleteRule: .cascade, inverse: \.owner) var notes: [Note]?

        mutating func willSave(to context: inout Context) throws {
            guard age < 200 else { throw Refused() }
            saves += 1
        }

        func willDelete(from context: inout Context) throws {
            guard name != "stays" else { throw Refused() }
        }

        static var defaultMergeStrategy: MergeStrategy<User> { User.patch }
    }

    @EntityModel
    struct Note {
        let id: Int
        @Relationship(inverse: \.notes) var owner: User?
    }

    static func people() throws -> Context {
        var context = Context()
        for id in 0..<6 {
            try User(
                id: id, name: "n\(id)", age: id * 10, email: "e\(id)",
                notes: .relation([Note(id: id)])
            ).save(to: &context)
        }
        return context
    }
}

@Suite("Changes in bulk (SM-50, SD-25, SD-26)")
struct BulkChangeConformanceTests {
    private typealias User = Model.User
    private typealias Note = Model.Note

    @Test("An update changes what the query finds, runs hooks, keeps links and says how many")
    func update() throws {
        var context = try Model.people()
        let count = try User.update(where: \.age >= 30, in: &context) {
            $0.age += 1
            $0.email = nil
        }
        #expect(count == 3)
        let users = User.query().with(\.$notes).resolve(in: context)
        #expect(users.map(\.age) == [0, 10, 20, 31, 41, 51])
        #expect(users.map { $0.email == nil } == [false, false, false, true, true, true])
        #expect(users.map(\.saves) == [1, 1, 1, 2, 2, 2])
        #expect(users.allSatisfy { $0.notes?.map(\.id) == [$0.id] })
        #expect(
            try User.query().sorted(by: \.age.desc).limit(2).update(in: &context) {
                $0.name = "old"
            } == 2)
        #expect(User.filter(\.name == "old").resolve(in: context).map(\.id) == [4, 5])
        #expect(try User.query([1, 1, 9]).update(in: &context) { $0.age += 1 } == 1)
        #expect(User.query(1).resolve(in: context)?.age == 11)
        #expect(try User.query(1).update(in: &context) { $0.$notes = .ids([]) })
        #expect(User.query(1).related(\.$notes).count(in: context) == 0)
        #expect(try !User.query(9).update(in: &context) { $0.age = 1 })
        context.checkInvariants()
    }

    @Test("An update that throws midway, in a hook or in the closure, changes nothing")
    func failedUpdate() throws {
        var context = try Model.people()
        #expect(throws: Model.Refused.self) {
            try User.query().update(in: &context) { $0.age *= 5 }
        }
        #expect(throws: Model.Refused.self) {
            try User.query().update(in: &context) { user in
                guard user.id < 3 else { throw Model.Refused() }
                user.age = -1
            }
        }
        #expect(User.query().resolve(in: context).map(\.age) == [0, 10, 20, 30, 40, 50])
        #expect(User.query().resolve(in: context).allSatisfy { $0.saves == 1 })
        context.checkInvariants()
    }

    @Test("A deletion follows delete rules, leaves tombstones and says how many")
    func delete() throws {
        var context = try Model.people()
        #expect(try User.delete(where: \.age < 30, from: &context) == 3)
        #expect(User.query().resolve(in: context).map(\.id) == [3, 4, 5])
        #expect(Note.query().resolve(in: context).map(\.id) == [3, 4, 5])
        #expect(Deleted<User>.query().count(in: context) == 3)
        #expect(try User.query([3, 3, 8]).delete(from: &context) == 1)
        #expect(try User.query(4).delete(from: &context))
        #expect(try !User.query(4).delete(from: &context))
        #expect(try User.query(5).related(\.$notes).delete(from: &context) == 1)
        #expect(try User.delete(where: \.age > 1000, from: &context) == 0)
        context.checkInvariants()
    }

    @Test("A deletion that throws midway deletes nothing")
    func failedDelete() throws {
        var context = try Model.people()
        try User.query(4).update(in: &context) { $0.name = "stays" }
        #expect(throws: Model.Refused.self) { try User.query().delete(from: &context) }
        #expect(User.query().count(in: context) == 6)
        #expect(Note.query().count(in: context) == 6)
        #expect(Deleted<User>.query().count(in: context) == 0)
        context.checkInvariants()
    }
}
