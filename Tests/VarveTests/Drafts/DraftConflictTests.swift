import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Badge {
    @Unique<Self>(\.number, collisions: .leaving) private var uniqueNumber
    @Unique<Self>(\.code, collisions: .throw) private var uniqueCode

    let id: Int
    var number: Int
    var code: String
}

extension CollisionResolver where Entity == Badge {
    /// Both keep the number.
    fileprivate static var leaving: Self { CollisionResolver { _, _, _, _ in } }
}

@EntityModel
private struct Team {
    let id: Int
    @Relationship(deleteRule: .deny, inverse: \.team) var members: [Member]?
}

@EntityModel
private struct House {
    let id: Int
    @Relationship(deleteRule: .cascade, inverse: \.house) var members: [Member]?
}

@EntityModel
private struct Member {
    let id: Int
    var name = ""
    @Relationship(inverse: \.members) var team: Team?
    @Relationship(inverse: \.members) var house: House?
}

private struct Weight: Codable, Hashable, Sendable {
    private enum CodingKeys: CodingKey { case value }

    var value: Int

    init(value: Int) { self.value = value }

    init(from decoder: any Decoder) throws {
        value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
    }

    func encode(to encoder: any Encoder) throws {
        guard value >= 0 else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "a weight below zero"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
    }
}

@EntityModel
private struct Load {
    let id: Int
    var weight: Weight
    var name = ""
}

@Suite("Drafts beside the writes of others (SD-24)")
struct DraftConflictTests {
    private func kinds(_ draft: Draft) throws -> [DraftConflict.Kind] {
        try draft.conflicts().map(\.kind)
    }

    @Test("What others wrote between the base and a commit is still a conflict of the next one")
    func writesBeforeCommit() throws {
        let store = try Store.inMemory(Author.self)
        func save(_ context: inout Context, name: String? = nil, born: Int? = nil) throws {
            var author: Author = context.find("a") ?? Author(id: "a", name: "Ann")
            if let name { author.name = name }
            if let born { author.born = born }
            try author.save(to: &context)
        }
        try store.write { try save(&$0) }
        let draft = store.draft()
        try draft.edit { try save(&$0, born: 1) }
        // The value of the base again: only the log knows.
        try store.write { try save(&$0, name: "theirs") }
        try store.write { try save(&$0, name: "Ann") }
        #expect(try draft.commit() == 4)
        try draft.edit { try save(&$0, born: 2) }
        #expect(try draft.commit() == 5, "the draft's own commit is no write of others")
        try draft.edit { try save(&$0, name: "mine") }
        #expect(try kinds(draft) == [.property("name")])
        try draft.revert()
        try draft.edit { try save(&$0, name: "mine") }
        #expect(try kinds(draft) == [.property("name")], "also behind a revert")
        try draft.rebase(.keepMine)
        #expect(try draft.commit() == 6)
        try draft.edit { try save(&$0, name: "again", born: 3) }
        try draft.commit()
        try draft.edit { try save(&$0, name: "and again") }
        #expect(try draft.commit() == 8)
    }

    @Test(
        "A unique value that others took is a conflict, also behind one that resolvers left twice")
    func secondUniqueIndex() throws {
        let store = try Store.inMemory(Badge.self)
        try store.write { try Badge(id: 1, number: 7, code: "a").save(to: &$0) }
        let draft = store.draft()
        try draft.edit { try Badge(id: 2, number: 7, code: "b").save(to: &$0) }
        #expect(try draft.conflicts().isEmpty, "the draft's resolver left it")
        try store.write { try Badge(id: 3, number: 8, code: "b").save(to: &$0) }
        #expect(try kinds(draft) == [.uniqueValueTaken(index: "uniqueCode", by: "3")])
        #expect(throws: DraftError.self) { try draft.commit() }
        try draft.edit { try Badge(id: 2, number: 7, code: "c").save(to: &$0) }
        try draft.commit()
        #expect(Badge.query().resolve(in: store.context).map(\.number) == [7, 8, 7])
        // A value that others left twice is not what the draft's resolver saw.
        let second = store.draft()
        try second.edit { try Badge(id: 4, number: 9, code: "d").save(to: &$0) }
        try store.write { try Badge(id: 5, number: 9, code: "e").save(to: &$0) }
        #expect(try kinds(second) == [.uniqueValueTaken(index: "uniqueNumber", by: "5")])
    }

    @Test("What one deletion of a draft denies, another one may take along")
    func denied() throws {
        for deletesHouse in [true, false] {
            let store = try Store.inMemory(Team.self, House.self)
            try store.write { context in
                try Team(id: 1).save(to: &context)
                try House(id: 1).save(to: &context)
            }
            let draft = store.draft()
            try draft.edit { context in
                try Team.delete(id: 1, from: &context)
                if deletesHouse { try House.delete(id: 1, from: &context) }
            }
            try store.write { try Member(id: 1, team: .id(1), house: .id(1)).save(to: &$0) }
            if deletesHouse {
                try draft.rebase(.keepMine)
                try draft.commit()
                #expect(store.context.count(Member.self) == 0)
                #expect(store.context.count(Team.self) == 0)
                try store.undo()
                #expect(Team.query(1).related(\.$members).resolve(in: store.context).count == 1)
            } else {
                let error = #expect(throws: ContextError.self) { try draft.rebase(.keepMine) }
                guard case .deleteDenied(type: "Team", id: "1", relation: "members", _)? = error
                else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(store.context.count(Team.self) == 1)
            }
        }
    }

    @Test("What stays after all denies the deletion of what it belongs to")
    func deniedByWhatStays() throws {
        let store = try Store.inMemory(Team.self)
        try store.write { context in
            try Team(id: 1).save(to: &context)
            try Member(id: 1, team: .id(1)).save(to: &context)
        }
        let draft = store.draft()
        try draft.edit { context in
            try Member.delete(id: 1, from: &context)
            try Team.delete(id: 1, from: &context)
        }
        try store.write { try Member(id: 1, name: "kept").save(to: &$0) }
        #expect(throws: ContextError.self) { try draft.rebase(.takeTheirs) }
        try draft.rebase(.keepMine)
        try draft.commit()
        #expect(store.context.count(Member.self) == 0 && store.context.count(Team.self) == 0)
    }

    @Test("A value that cannot be stored is an error that names its entity, whatever asks for it")
    func unencodable() throws {
        let store = try Store.inMemory(Load.self)
        try store.write { context in
            for id in 1...2 { try Load(id: id, weight: Weight(value: 1)).save(to: &context) }
        }
        let draft = store.draft("Weigh")
        try draft.edit { context in
            try Load(id: 1, weight: Weight(value: 2)).save(to: &context)
            try Load(id: 2, weight: Weight(value: -1)).save(to: &context)
        }
        try store.write { try Load(id: 1, weight: Weight(value: 1), name: "x").save(to: &$0) }
        #expect(draft.hasChanges)
        let ways: [() throws -> Void] = [
            { try draft.commit() }, { try draft.rebase() }, { try draft.rebase(.keepMine) },
            { _ = try draft.conflicts() }, { _ = try draft.changes },
        ]
        for (number, way) in ways.enumerated() {
            let error = #expect(throws: StoreError.self, "way \(number)") { try way() }
            guard case .unencodable(let type, let id, _)? = error else {
                Issue.record("way \(number): \(String(describing: error))")
                continue
            }
            #expect(type == "Load" && id == "2", "way \(number)")
        }
        try draft.edit { try Load(id: 2, weight: Weight(value: 3)).save(to: &$0) }
        try draft.commit()
        #expect(Load.query().resolve(in: store.context).map(\.weight.value) == [2, 3])
    }

    /// All changes of one link of authors and profiles, which are to one on both sides.
    private static let links: [(author: String?, profile: String)] =
        ["p", "q", "r"].flatMap { profile in
            [nil, "a", "b", "c"].map { (author: $0, profile: profile) }
        }

    @Test("A link to one that is given up for theirs leaves both of its ends as they were")
    func partners() throws {
        func link(_ context: inout Context, _ change: (author: String?, profile: String)) throws {
            var profile: Profile = try #require(context.find(change.profile))
            profile.$author = change.author.map { .id($0) } ?? .null
            try profile.save(to: &context)
        }
        func pairs(_ context: Context) -> [String] {
            Profile.query().with(\.$author).resolve(in: context)
                .map { "\($0.id) \($0.author?.id ?? "-")" }
                + Author.query().with(\.$profile).resolve(in: context)
                .map { "\($0.id) \($0.profile?.id ?? "-")" }
        }
        let store = try Store.inMemory(Author.self)
        try store.write { context in
            for id in ["a", "b", "c"] { try Author(id: id, name: id).save(to: &context) }
            for id in ["p", "q", "r"] { try Profile(id: id, text: id).save(to: &context) }
            try link(&context, ("a", "p"))
            try link(&context, ("b", "q"))
        }
        for mine in Self.links {
            for theirs in Self.links {
                let place: Comment = "\(mine) against \(theirs)"
                let draft = store.draft()
                try draft.edit { try link(&$0, mine) }
                try store.write { try link(&$0, theirs) }
                let newest = pairs(store.context)
                if try !draft.conflicts().isEmpty {
                    try draft.rebase(.takeTheirs)
                    #expect(pairs(draft.context) == newest && !draft.hasChanges, place)
                }
                let other = store.draft()
                try other.edit { try link(&$0, mine) }
                if pairs(store.context) != pairs(other.context) { try other.commit() }
                let linked = "\(mine.profile) \(mine.author ?? "-")"
                #expect(pairs(store.context).contains(linked), place)
                try store.rewind(to: .transaction(1))
            }
        }
    }

    @Test("A rebase while a commit of the draft waits for the disk sees what it wrote")
    func rebaseDuringSync() throws {
        let gate = GatedFileSystem(SimulatedDisk())
        let store = try Store(
            in: gate, mode: .readWrite, durability: .commit, types: [Author.self])
        let draft = store.draft()
        try draft.edit { try Author(id: "a", name: "Ann").save(to: &$0) }
        gate.closeGate()
        let group = DispatchGroup()
        let failures = Lock<[String]>([])
        func inBackground(_ body: @escaping @Sendable () throws -> Void) {
            DispatchQueue.global().async(group: group) {
                do { try body() } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        inBackground { try draft.commit() }
        gate.awaitSync()
        #expect(!draft.hasChanges && store.context.count(Author.self) == 0)
        inBackground {
            try draft.edit { try Author(id: "b", name: "Bob").save(to: &$0) }
            try draft.rebase()
        }
        gate.openGate()
        group.wait()
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(Author.query().resolve(in: draft.context).map(\.id) == ["a", "b"])
        #expect(try draft.conflicts().isEmpty)
        try draft.commit()
        #expect(Author.query().resolve(in: store.context).map(\.name) == ["Ann", "Bob"])
    }
}
