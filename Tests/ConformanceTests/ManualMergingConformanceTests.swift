import Foundation
import Testing
import VarveGraph

/// The manual's users with incomplete data.
private enum Merging {
    struct Avatar: Codable, Hashable {
        var url: String
    }

    @EntityModel
    struct User: Codable {
        let id: String
        private(set) var name: String
        private(set) var avatar: Avatar
        private(set) var profile: Profile?

        @Relationship(inverse: \.users)
        var chats: [Chat]?

        init(id: String, name: String, avatar: Avatar, profile: Profile? = nil) {
            self.id = id
            self.name = name
            self.avatar = avatar
            self.profile = profile
        }

        static var fragmentMergeStrategy: MergeStrategy<Self> {
            MergeStrategy(
                .patch(\.profile)
            )
        }
    }

    @EntityModel
    struct Chat: Codable {
        let id: String
        @Relationship(inverse: \.chats) var users: [User]?
    }

    @EntityModel
    struct Account {
        let id: String
        var name: String?
        var profile: String?
        var lastModified: Date
    }

    @EntityModel
    struct Ranked {
        let id: String
        var name: String?
        var lastModified: Date

        static var lastWriteWins: MergeStrategy<Self> {
            .lastWriteWins(Ranked.patch)
        }
    }

    @EntityModel
    struct Patched {
        let id: String
        var name: String?
        var profile: String?
        var avatar: String?
        var arrayOfSomething: [Int] = []

        static var defaultMergeStrategy: MergeStrategy<Self> {
            Patched.patch
        }
    }
}

extension Merging.User {
    fileprivate struct Profile: Codable, Hashable {
        var text: String
    }
}

private typealias User = Merging.User
private typealias Account = Merging.Account
private typealias Ranked = Merging.Ranked
private typealias Patched = Merging.Patched

extension Account {
    fileprivate static var lastWritePatch: MergeStrategy<Self> {
        .lastWriteWins(Account.patch, comparedBy: \.lastModified)
    }

    fileprivate static var lastWriteWins: MergeStrategy<Self> {
        .lastWriteWins(.replace, comparedBy: \.lastModified)
    }
}

extension Ranked: Comparable {
    fileprivate static func < (lhs: Ranked, rhs: Ranked) -> Bool {
        lhs.lastModified < rhs.lastModified
    }
}

extension MergeStrategy {
    /// The manual's own way to write a property patch, under another name.
    fileprivate static func keep<Entity, Value>(
        _ keyPath: WritableKeyPath<Entity, Optional<Value>>
    ) -> MergeStrategy<Entity> {
        MergeStrategy<Entity> { old, new in
            var new = new
            new[keyPath: keyPath] = new[keyPath: keyPath] ?? old[keyPath: keyPath]
            return new
        }
    }
}

@Suite("Manual: incomplete data")
struct ManualMergingConformanceTests {
    @Test("Default and fragment strategies: replace, and keep what the fragment lacks")
    func defaultAndFragment() throws {
        var context = Context()
        let user = User(
            id: "1", name: "Bob", avatar: Merging.Avatar(url: "a"),
            profile: User.Profile(text: "long"))
        try user.save(to: &context)
        let fragment = User(id: "1", name: "Bobby", avatar: Merging.Avatar(url: "b"))
        try fragment.save(to: &context, options: .fragment)
        let merged = User.query("1").resolve(in: context)
        #expect(merged?.profile?.text == "long" && merged?.name == "Bobby")
        try fragment.save(to: &context)
        #expect(User.query("1").resolve(in: context)?.profile == nil)
    }

    @Test("Last write wins: the newer value is the truth, patched with the older")
    func lastWriteWins() throws {
        var context = Context()
        let oldUser = Account(
            id: "1", name: "Bob", profile: nil, lastModified: Date.distantPast)
        let newUser = Account(id: "1", name: nil, profile: "profile", lastModified: Date())
        for users in [[oldUser, newUser], [newUser, oldUser]] {
            for user in users { try user.save(to: &context, options: Account.lastWritePatch) }
            let merged = Account.query("1").resolve(in: context)
            #expect(merged?.name == "Bob" && merged?.profile == "profile")
            #expect(merged?.lastModified == newUser.lastModified)
            try Account.delete(id: "1", from: &context)
        }
        try newUser.save(to: &context)
        try oldUser.save(to: &context, options: Account.lastWriteWins)
        #expect(Account.query("1").resolve(in: context)?.name == nil)
    }

    @Test("Last write wins of entities that are comparable themselves")
    func comparable() throws {
        var context = Context()
        try Ranked(id: "1", name: "new", lastModified: Date()).save(to: &context)
        try Ranked(id: "1", name: "old", lastModified: .distantPast).save(
            to: &context, options: Ranked.lastWriteWins)
        #expect(Ranked.query("1").resolve(in: context)?.name == "new")
    }

    @Test("Customised strategies: a default of one's own, several properties, arrays, own closures")
    func customised() throws {
        var context = Context()
        try Patched(id: "1", name: "a", profile: "p", avatar: "v", arrayOfSomething: [1]).save(
            to: &context)
        try Patched(id: "1").save(to: &context)
        #expect(Patched.query("1").resolve(in: context)?.name == "a")
        let several = MergeStrategy<Patched>(
            .patch(\.name),
            .patch(\.profile),
            .patch(\.avatar)
        )
        try Patched(id: "1", profile: "q", arrayOfSomething: [2]).save(
            to: &context, options: several)
        #expect(Patched.query("1").resolve(in: context)?.profile == "q")
        #expect(Patched.query("1").resolve(in: context)?.avatar == "v")
        let arrays = MergeStrategy<Patched>(
            .append(\.arrayOfSomething)
        )
        try Patched(id: "1", arrayOfSomething: [3]).save(to: &context, options: arrays)
        #expect(Patched.query("1").resolve(in: context)?.arrayOfSomething == [2, 3])
        let own: MergeStrategy<Patched> = MergeStrategy<Patched>.keep(\Patched.name)
        #expect(own.merge(Patched(id: "1", name: "x"), new: Patched(id: "1")).name == "x")
    }
}
