import Testing
import VarveGraph

@EntityModel
private struct User: Equatable, Sendable {
    // Unique username with upsert on collision
    @Unique<Self>(\.username, collisions: .upsert)
    private var uniqueUsername

    // Unique email that throws on collision
    @Unique<Self>(\.email, collisions: .throw)
    private var uniqueEmail

    // Custom collision handling for current user
    @Unique<Self>(\.isCurrent, collisions: .updateCurrentUser)
    private var currentUserIndex

    let id: String
    let username: String
    let email: String
    var isCurrent: Bool
}

// Custom collision resolver implementation
extension CollisionResolver where Entity == User {
    fileprivate static var updateCurrentUser: Self {
        CollisionResolver { existingId, _, _, context in
            guard
                var user = Query<Entity>(context: context, id: existingId).resolve(in: context),
                user.isCurrent
            else {
                return
            }

            user.isCurrent = false
            try user.save(to: &context)
        }
    }
}

private enum Optionals {
    @EntityModel
    struct User: Sendable {
        @Unique<Self>(\.email, collisions: .ignoreNil)
        private var uniqueEmail

        let id: String
        var email: String?
    }
}

extension CollisionResolver {
    fileprivate static var ignoreNil: Self {
        CollisionResolver { existingId, newEntity, keyPath, context in
            // Only throw if the new value is non-nil
            guard newEntity[keyPath: keyPath] != nil else {
                return
            }
            throw UniqueConstraintViolation(existingId: existingId, keyPath: keyPath)
        }
    }
}

@EntityModel
private struct Account: Sendable {
    @Unique<Self>(\.phone) private var uniquePhone
    @Unique<Self>(\.site, \.login, collisions: .named) private var uniqueLogin
    @Unique<Self>(\.card, collisions: .throw.ignoringNil) private var uniqueCard

    let id: Int
    var phone: String?
    var site = ""
    var login = 0
    var card: Int?
    @Relationship(deleteRule: .cascade, inverse: \.account) var entries: [Entry]?
}

@EntityModel
private struct Entry: Sendable {
    let id: Int
    @Relationship(inverse: \.entries) var account: Account?
}

private struct Named: Error, Equatable {
    let existing: Int
    let new: Int
    let index: String
}

extension CollisionResolver where Entity == Account {
    fileprivate static var named: Self {
        CollisionResolver { existingID, new, indexName, context in
            // Lets two accounts without a site share a login.
            if new.site.isEmpty { return }
            throw Named(existing: existingID, new: new.id, index: indexName)
        }
    }
}

@Suite("Manual: unique values (SM-53, SM-54; 3.8; 6.1: 4, 11)")
struct UniqueConformanceTests {
    private func user(_ id: String, _ name: String, _ email: String, _ isCurrent: Bool) -> User {
        User(id: id, username: name, email: email, isCurrent: isCurrent)
    }

    @Test("SM-53: `.upsert` replaces the entity that has the value")
    func upsert() throws {
        var context = Context()
        try user("1", "ada", "1@x", false).save(to: &context)
        try user("2", "ada", "2@x", false).save(to: &context)
        #expect(User.query().resolve(in: context).map(\.id) == ["2"])
        #expect(Deleted<User>.query("1").resolve(in: context) != nil)
    }

    @Test("SM-54: `.throw` throws an error that names everything, and nothing is saved")
    func throwing() throws {
        var context = Context()
        try user("1", "ada", "a@x", false).save(to: &context)
        do {
            try user("2", "bob", "a@x", false).save(to: &context)
            Issue.record("a second a@x was saved")
        } catch CollisionResolver<User>.Errors.uniqueValueIndexViolation(
            let existing, let new, let indexName)
        {
            #expect([existing, new, indexName] == ["1", "2", "uniqueEmail"])
        }
        #expect(User.query().resolve(in: context).map(\.id) == ["1"])
        #expect(User.filter(\.username == "bob").resolve(in: context).isEmpty)
    }

    @Test("SM-54: a resolver of one's own changes the other entity")
    func currentUser() throws {
        var context = Context()
        for id in 1...4 {
            try user("\(id)", "u\(id)", "\(id)@x", id % 2 == 0).save(to: &context)
        }
        #expect(User.filter(\.isCurrent == true).resolve(in: context).map(\.id) == ["4"])
        try user("1", "u1", "1@x", true).save(to: &context)
        #expect(User.filter(\.isCurrent == true).resolve(in: context).map(\.id) == ["1"])
        #expect(User.filter(\.isCurrent == false).resolve(in: context).count == 3)
        context.checkInvariants()
    }

    @Test("The manual's resolver that ignores nil")
    func ignoreNil() throws {
        var context = Context()
        // Multiple users with nil email are allowed
        try Optionals.User(id: "1", email: nil).save(to: &context)
        try Optionals.User(id: "2", email: nil).save(to: &context)
        // Non-nil emails must be unique
        try Optionals.User(id: "3", email: "alice@example.com").save(to: &context)
        #expect(throws: UniqueConstraintViolation.self) {
            try Optionals.User(id: "4", email: "alice@example.com").save(to: &context)
        }
        #expect(Optionals.User.query().resolve(in: context).map(\.id) == ["1", "2", "3"])
    }

    @Test("SM-53: nil is a value, and two nils collide, unless nil is ignored")
    func nils() throws {
        var context = Context()
        try Account(id: 1, card: 1).save(to: &context)
        try Account(id: 2, phone: "2").save(to: &context)
        try Account(id: 3, login: 3).save(to: &context)
        #expect(Account.query().resolve(in: context).map(\.id) == [2, 3])
        #expect(throws: CollisionResolver<Account>.Errors.self) {
            try Account(id: 4, phone: "4", card: 9).save(to: &context)
            try Account(id: 5, phone: "5", card: 9).save(to: &context)
        }
    }

    @Test("SM-53, SM-54: several values together; the resolver gets ids, entity and index name")
    func compound() throws {
        var context = Context()
        try Account(id: 1, phone: "1", site: "s", login: 1).save(to: &context)
        try Account(id: 2, phone: "2", site: "s", login: 2).save(to: &context)
        try Account(id: 3, phone: "3", site: "t", login: 1).save(to: &context)
        #expect(throws: Named(existing: 1, new: 4, index: "uniqueLogin")) {
            try Account(id: 4, phone: "4", site: "s", login: 1).save(to: &context)
        }
        #expect(Account.query().resolve(in: context).map(\.id) == [1, 2, 3])
        let both = Account.filter(\.site == "s" && \.login == 2)
        #expect(both.resolve(in: context).map(\.id) == [2])
        #expect(both.explain(in: context).description.contains("uniqueLogin"))
    }

    @Test("6.1-4: when a later index refuses, the entity that an earlier one deleted is back")
    func atomicity() throws {
        var context = Context()
        try user("1", "ada", "1@x", false).save(to: &context)
        try user("2", "bob", "2@x", false).save(to: &context)
        #expect(throws: CollisionResolver<User>.Errors.self) {
            try user("3", "ada", "2@x", false).save(to: &context)
        }
        #expect(User.query().resolve(in: context).map(\.id) == ["1", "2"])
        #expect(Deleted<User>.query().resolve(in: context).isEmpty)
        #expect(User.filter(\.username == "ada").resolve(in: context).map(\.id) == ["1"])
        context.checkInvariants()
    }

    @Test("6.1-4: a nested save that collides takes the parent along, and its cascades back")
    func nestedAtomicity() throws {
        var context = Context()
        try Account(id: 1, phone: "1", card: 1, entries: .relation([Entry(id: 1)]))
            .save(to: &context)
        // The new account replaces the first, whose entry goes; then its own entry's save brings
        // an account along that is refused.
        let refused = Account(id: 3, phone: "3", card: 7)
        #expect(throws: CollisionResolver<Account>.Errors.self) {
            try Account(
                id: 2, phone: "1", card: 7,
                entries: .relation([Entry(id: 2, account: .relation(refused))])
            ).save(to: &context)
        }
        #expect(Account.query().resolve(in: context).map(\.id) == [1])
        #expect(Entry.query().resolve(in: context).map(\.id) == [1])
        context.checkInvariants()
    }

    @Test("6.1-11: after a tolerated collision both hold the value; a third still collides")
    func toleratedCollisions() throws {
        var context = Context()
        try Account(id: 1, phone: "1", login: 5).save(to: &context)
        try Account(id: 2, phone: "2", login: 5).save(to: &context)
        // The first holder gives the value up: the second still has it.
        try Account(id: 1, phone: "1", login: 6).save(to: &context)
        let five = Account.filter(\.site == "" && \.login == 5)
        #expect(five.resolve(in: context).map(\.id) == [2])
        context.checkInvariants()
    }

    @Test("A unique index also finds: equality on its values reads no other rows")
    func lookUp() throws {
        var context = Context()
        for id in 0..<50 { try user("\(id)", "u\(id)", "\(id)@x", false).save(to: &context) }
        let one = User.filter(\.email == "7@x")
        #expect(one.resolve(in: context).map(\.id) == ["7"])
        let plan = one.explain(in: context)
        #expect(plan.description.contains("uniqueEmail"))
        #expect(plan.candidates == 1)
    }
}
