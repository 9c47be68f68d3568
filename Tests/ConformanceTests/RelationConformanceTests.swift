import Testing
import VarveGraph

private enum Club {
    @EntityModel
    struct Member: Equatable {
        let id: String
        var name = ""
        @Relationship(inverse: \.members) var team: Team?
        @Relationship(inverse: \.owner) var badge: Badge?
        @Relationship(inverse: \.mentees) var mentors: [Member]?
        @Relationship(inverse: \.mentors) var mentees: [Member]?
        @Relationship(inverse: \.follower) var leader: Member?
        @Relationship(inverse: \.leader) var follower: Member?
        @Relationship(inverse: \.friends) var friends: [Member]?
        @Relationship(inverse: \.spouse) var spouse: Member?
        @Relationship var liked: [Member]? = nil
        @Relationship() var watched: [Member]?
        @Relationship(.required) var home: Town?
    }

    @EntityModel
    struct Team {
        let id: String
        @Relationship(inverse: \.team) var members: [Member]?
    }

    @EntityModel
    struct Badge {
        let id: Int
        @Relationship(inverse: \.badge) var owner: Member?
    }

    @EntityModel
    struct Town {
        let id: String
    }
}

private typealias Member = Club.Member
private typealias Team = Club.Team
private typealias Badge = Club.Badge

private func members(of team: String, in context: Context) -> [String]? {
    Team.query(team).id(\.$members).resolve(in: context)?.$members.ids
}

@Suite("Relations")
struct RelationConformanceTests {
    @Test("SM-21: a relation's type says direction, cardinality and constraint")
    func phantomTypes() {
        let team: MutualRelation<Team, Relations.ToOne<Team>, Relations.Optional> =
            Member(id: "1").$team
        let friends: ToManyRelation<Member, Relations.Mutual, Relations.Required> =
            Member(id: "1").$friends
        let liked: OneWayRelation<Member, Relations.ToMany<Member>, Relations.Required> =
            Member(id: "1").$liked
        let home: ToOneRelation<Club.Town, Relations.OneWay, Relations.Required> =
            Member(id: "1").$home
        let mentors: ManyToManyRelation<Member, Relations.Required> =
            Member(id: "1").$mentors
        let members: OneToManyRelation<Member, Relations.Required> =
            Team(id: "1").$members
        let badge: OneToOneRelation<Badge, Relations.Optional> =
            Member(id: "1").$badge
        let ofTeam: ManyToOneRelation<Team, Relations.Optional> = team
        #expect(team.isNone && friends.isNone && liked.isNone && home.isNone && mentors.isNone)
        #expect(members.isNone && badge.isNone && ofTeam.isNone)
    }

    @Test("SM-22: both sides of a mutual relation follow, whichever is saved")
    func mutual() throws {
        var context = Context()
        try Team(id: "a", members: .relation([Member(id: "1"), Member(id: "2")])).save(to: &context)
        #expect(Member.query("1").related(\.$team).resolve(in: context)?.id == "a")
        try Member(id: "3", team: .id("a")).save(to: &context)
        #expect(members(of: "a", in: context) == ["1", "2", "3"])
        context.checkInvariants()
    }

    @Test("SM-23: a required relation is not checked by a save, and can be checked at the end")
    func required() throws {
        var context = Context()
        try Member(id: "1").save(to: &context)
        #expect(
            throws: ContextError.requiredRelationMissing(
                type: Member._descriptor.name, id: "1", relation: "home")
        ) { try context.checkRequiredRelations() }
        try Member(id: "1", home: .relation(Club.Town(id: "x"))).save(to: &context)
        try context.checkRequiredRelations()
    }

    @Test("SM-24: the values of a relation exist on the relation and on its wrapper")
    func values() throws {
        var member = Member(
            id: "1", team: .id("a"), badge: .null, mentors: .ids(["2"]),
            mentees: .appending(ids: ["3"]), leader: .relation(Member(id: "4")),
            follower: .fragment(Member(id: "5")), friends: .fragment([Member(id: "6")]),
            spouse: .none, liked: .relation([Member(id: "7")]), watched: .ids(["8"]),
            home: .id("x"))
        #expect(member.$team.id == "a" && member.$badge.isNull)
        #expect(member.$mentors.ids == ["2"] && member.$mentees.isSlice)
        #expect(member.leader?.id == "4" && member.$follower.isFragment)
        #expect(member.friends?.map(\.id) == ["6"] && member.$friends.isFragment)
        #expect(member.$spouse.isNone && member.liked?.map(\.id) == ["7"])
        #expect(member.$watched.ids == ["8"] && member.$home.id == "x")
        member.$team = .relation(Team(id: "b"))
        member.$friends = .appending(relation: [Member(id: "9")])
        #expect(member.$friends.isSlice && !member.$friends.isFragment)
        member.$friends = .appending(fragment: [Member(id: "9")])
        #expect(member.$friends.isSlice && member.$friends.isFragment)
        member.$friends = .none
        #expect(member.$friends.isNone && member.team?.id == "b")
    }

    @Test("SM-25: a to-many property is nil when not loaded, and empty when only ids are")
    func wrappedValues() throws {
        #expect(Team(id: "a").members == nil)
        #expect(Team(id: "a", members: .ids(["1"])).members?.count == 0)
        #expect(Team(id: "a", members: .relation([])).members?.count == 0)
        #expect(Member(id: "1").team == nil)
        #expect(Member(id: "1", team: .id("a")).team == nil)
        #expect(Member(id: "1", team: .relation(Team(id: "a"))).team?.id == "a")
        var context = Context()
        try Team(id: "a").save(to: &context)
        let loaded = Team.query("a").with(\.$members).resolve(in: context)
        #expect(loaded?.members?.count == 0)
        #expect(Team.query("a").resolve(in: context)?.members == nil)
    }

    @Test("SM-26: a relation tells how it is loaded")
    func loadStates() {
        let null = Member(id: "1", team: .null).$team
        #expect(!null.isNone && !null.isId && null.id == nil && null.isNull)
        let none = Member(id: "1").$team
        #expect(none.isNone && !none.isId && !none.isFragment && !none.isSlice)
        let id = Member(id: "1", team: .id("a")).$team
        #expect(id.isId && id.id == "a")
        let entity = Member(id: "1", team: .relation(Team(id: "a"))).$team
        #expect(!entity.isId && entity.id == "a" && !entity.isFragment)
        #expect(Member(id: "1", team: .fragment(Team(id: "a"))).$team.isFragment)
        #expect(Team(id: "a", members: .appending(ids: ["1"])).$members.isSlice)
    }

    @Test("SM-27: equality compares ids; the exact comparison sees what is loaded")
    func equality() {
        let none = Team(id: "a").$members
        let empty = Team(id: "a", members: .ids([])).$members
        #expect(none == empty && !none.isIdentical(to: empty))
        let ids = Team(id: "a", members: .ids(["1"])).$members
        let old = Team(id: "a", members: .relation([Member(id: "1", name: "Old")])).$members
        let new = Team(id: "a", members: .relation([Member(id: "1", name: "New")])).$members
        #expect(ids == old && old == new && old.hashValue == new.hashValue)
        #expect(!ids.isIdentical(to: old) && !old.isIdentical(to: new))
        #expect(
            old.isIdentical(
                to: Team(
                    id: "a", members: .relation([Member(id: "1", name: "Old")])
                ).$members))
        let fragment = Team(id: "a", members: .fragment([Member(id: "1", name: "Old")])).$members
        #expect(fragment == old && !fragment.isIdentical(to: old))
    }

    @Test("the exact comparison of entities looks into loaded relations, as deep as they are")
    func exactEntities() {
        func member(_ name: String) -> Member {
            Member(
                id: "1",
                team: .relation(
                    Team(id: "a", members: .relation([Member(id: "2", name: name)]))))
        }
        #expect(member("x") == member("y"))
        #expect(!member("x").isIdentical(to: member("y")))
        #expect(member("x").isIdentical(to: member("x")))
        #expect(!Deleted(member("x")).isIdentical(to: Deleted(member("y"))))
    }

    @Test("SM-28: a to-many relation is an ordered set")
    func orderedSet() throws {
        var context = Context()
        try Team(id: "a", members: .ids(["1", "2", "1"])).save(to: &context)
        for id in ["1", "2", "3"] { try Member(id: id).save(to: &context) }
        #expect(members(of: "a", in: context) == ["1", "2"])
        try Team(id: "a", members: .appending(ids: ["2", "3", "3"])).save(to: &context)
        #expect(members(of: "a", in: context) == ["1", "2", "3"])
        try Team(id: "a", members: .ids(["3", "1"])).save(to: &context)
        #expect(members(of: "a", in: context) == ["3", "1"])
        context.checkInvariants()
    }

    @Test(
        "SM-33: relations of a type to itself: trees, chains, and relations that are their own inverse"
    )
    func selfRelations() throws {
        var context = Context()
        try Member(
            id: "1", mentees: .relation([Member(id: "2"), Member(id: "3")]),
            follower: .relation(Member(id: "4")), friends: .ids(["1", "2"]), spouse: .id("3")
        ).save(to: &context)
        func ids(
            _ id: String,
            _ path: KeyPath<Member, ToManyRelation<Member, Relations.Mutual, Relations.Required>>
        ) -> [String] {
            Member.query(id).related(path).resolve(in: context).map(\.id)
        }
        #expect(ids("2", \.$mentors) == ["1"])
        #expect(Member.query("4").related(\.$leader).resolve(in: context)?.id == "1")
        #expect(ids("1", \.$friends) == ["1", "2"] && ids("2", \.$friends) == ["1"])
        #expect(Member.query("3").related(\.$spouse).resolve(in: context)?.id == "1")
        try Member(id: "2", spouse: .id("3")).save(to: &context)
        #expect(Member.query("1").related(\.$spouse).resolve(in: context) == nil)
        #expect(Member.query("3").related(\.$spouse).resolve(in: context)?.id == "2")
        try Member(id: "2", friends: .ids([])).save(to: &context)
        #expect(ids("1", \.$friends) == ["1"])
        context.checkInvariants()
    }

    @Test(
        "SM-34: links to entities that are not there yet, or not any more, resolve once these appear"
    )
    func unresolvedLinks() throws {
        var context = Context()
        try Team(id: "a", members: .ids(["1", "2"])).save(to: &context)
        #expect(Team.query("a").related(\.$members).resolve(in: context).isEmpty)
        #expect(members(of: "a", in: context) == ["1", "2"])
        #expect(
            context.danglingLinks().map { [$0.id, $0.relation, $0.targetID] } == [
                ["a", "members", "1"], ["a", "members", "2"],
            ])
        try Member(id: "1").save(to: &context)
        #expect(Team.query("a").related(\.$members).resolve(in: context).map(\.id) == ["1"])
        context.checkInvariants()
    }

    // MARK: - Stealing

    @Test("Whoever takes a child from another parent detaches it there, on every path")
    func stealing() throws {
        func start() throws -> Context {
            var context = Context()
            try Team(id: "a", members: .relation([Member(id: "1"), Member(id: "2")])).save(
                to: &context)
            try Team(id: "b").save(to: &context)
            return context
        }
        let ways: [(inout Context) throws -> Void] = [
            { try Team(id: "b", members: .ids(["1"])).save(to: &$0) },
            { try Team(id: "b", members: .relation([Member(id: "1")])).save(to: &$0) },
            { try Team(id: "b", members: .fragment([Member(id: "1")])).save(to: &$0) },
            { try Team(id: "b", members: .appending(ids: ["1"])).save(to: &$0) },
            { try Team(id: "b", members: .appending(relation: [Member(id: "1")])).save(to: &$0) },
            { try Member(id: "1", team: .id("b")).save(to: &$0) },
            { try Member(id: "1", team: .relation(Team(id: "b"))).save(to: &$0) },
            { try Team(id: "b", members: .ids(["1"])).save(\.$members, to: &$0) },
        ]
        for (number, way) in ways.enumerated() {
            var context = try start()
            try way(&context)
            #expect(members(of: "a", in: context) == ["2"], "\(number)")
            #expect(members(of: "b", in: context) == ["1"], "\(number)")
            #expect(Member.query("1").related(\.$team).resolve(in: context)?.id == "b")
            context.checkInvariants()
        }
    }

    @Test("of a one-to-one relation that is taken over, neither former partner keeps a link")
    func stealingOneToOne() throws {
        for fromBadge in [true, false] {
            var context = Context()
            try Member(id: "1", badge: .relation(Badge(id: 7))).save(to: &context)
            try Member(id: "2", badge: .relation(Badge(id: 8))).save(to: &context)
            if fromBadge {
                try Badge(id: 7, owner: .id("2")).save(to: &context)
            } else {
                try Member(id: "2", badge: .id(7)).save(to: &context)
            }
            #expect(Member.query("1").related(\.$badge).resolve(in: context) == nil)
            #expect(Member.query("2").related(\.$badge).resolve(in: context)?.id == 7)
            #expect(Badge.query(8).related(\.$owner).resolve(in: context) == nil)
            context.checkInvariants()
        }
    }

    @Test("a filtered relation that is saved back cuts other links, a slice does not")
    func slicesKeepLinks() throws {
        var context = Context()
        try Team(id: "a", members: .relation([Member(id: "1", name: "x"), Member(id: "2")])).save(
            to: &context)
        let slice = Team.query("a").with(slice: \.$members) { $0.filter(\.name == "x") }
            .resolve(in: context)
        try slice?.save(to: &context)
        #expect(members(of: "a", in: context) == ["1", "2"])
    }

    @Test("one-way relations show no entity that was deleted, with a tombstone or without")
    func deletedTargets() throws {
        var context = Context()
        for id in ["1", "2"] { try Member(id: id).save(to: &context) }
        try Member(id: "3", watched: .ids(["1", "2", "4"])).save(to: &context)
        try Member.delete(id: "1", from: &context)
        func watched() -> [String]? {
            Member.query("3").id(\.$watched).resolve(in: context)?.$watched.ids
        }
        #expect(watched() == ["2", "4"])
        try Deleted<Member>.delete(id: "1", from: &context)
        #expect(watched() == ["2", "4"])
        try Member(id: "1").save(to: &context)
        #expect(watched() == ["1", "2", "4"])
    }
}
