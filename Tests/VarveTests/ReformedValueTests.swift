import Foundation
import Testing

@testable import Varve

// Two versions of one app. The types keep their names, and so the log sees no change; what they write
// for the same value is another.

enum FirstApp {
    struct Settings: Codable, Equatable {
        var a: Int
    }

    enum Mood: String { case glad, sad }

    @EntityModel("Profile")
    struct Profile: Equatable {
        let id: Int
        var name: String
        var settings: FirstApp.Settings
        var mood: FirstApp.Mood
        var moods: [FirstApp.Mood] = []
        var more: FirstApp.Settings?
    }
}

enum SecondApp {
    struct Settings: Codable, Equatable {
        var a: Int
        var b = 7

        init(a: Int, b: Int = 7) {
            self.a = a
            self.b = b
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            a = try values.decode(Int.self, forKey: .a)
            b = try values.decodeIfPresent(Int.self, forKey: .b) ?? 7
        }
    }

    enum Mood: RawRepresentable {
        case happy, sad

        init?(rawValue: String) {
            switch rawValue {
            case "happy", "glad": self = .happy
            case "sad": self = .sad
            default: return nil
            }
        }

        // Not with `==`, which asks for the raw values.
        var rawValue: String {
            switch self {
            case .happy: "happy"
            case .sad: "sad"
            }
        }
    }

    @EntityModel("Profile")
    struct Profile: Equatable {
        let id: Int
        var name: String
        var settings: SecondApp.Settings
        var mood: SecondApp.Mood
        var moods: [SecondApp.Mood] = []
        var more: SecondApp.Settings?
    }
}

/// An app whose type reads old values and cannot write them.
enum ThirdApp {
    struct Settings: Codable, Equatable {
        struct Unwritable: Error {}

        var a: Int

        func encode(to encoder: any Encoder) throws {
            if a == 1 { throw Unwritable() }
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(a, forKey: .a)
        }
    }

    @EntityModel("Profile")
    struct Profile {
        let id: Int
        var name: String
        var settings: ThirdApp.Settings
        var mood: FirstApp.Mood
        var moods: [FirstApp.Mood] = []
        var more: ThirdApp.Settings?
    }
}

@Suite("Values that are written otherwise by now")
struct ReformedValueTests {
    private static func profile(_ id: Int, _ name: String = "n") -> FirstApp.Profile {
        FirstApp.Profile(
            id: id, name: name, settings: FirstApp.Settings(a: id), mood: .glad,
            moods: [.sad, .glad], more: FirstApp.Settings(a: -id))
    }

    private static func reformed(_ id: Int, _ name: String = "n") -> SecondApp.Profile {
        SecondApp.Profile(
            id: id, name: name, settings: SecondApp.Settings(a: id), mood: .happy,
            moods: [.sad, .happy], more: SecondApp.Settings(a: -id))
    }

    /// Six transactions of the first app: three profiles, a name, settings and a mood, a deletion.
    private static func written(at place: StoreTests.Place) throws {
        let store = try Store(at: place.url, FirstApp.Profile.self)
        for id in 1...3 { try store.write { try profile(id).save(to: &$0) } }
        try store.write { try profile(1, "named").save(to: &$0) }
        try store.write { context in
            var changed = profile(1, "named")
            changed.settings.a = 100
            changed.mood = .sad
            try changed.save(to: &context)
        }
        try store.write { try FirstApp.Profile.delete(id: 3, from: &$0) }
        try store.close()
    }

    private static func open(_ place: StoreTests.Place) throws -> Store {
        try Store(at: place.url, compactsAutomatically: false, SecondApp.Profile.self)
    }

    private static func profiles(_ context: Context) -> [SecondApp.Profile] {
        SecondApp.Profile.query().resolve(in: context)
    }

    /// What the newer app shows behind each of the older app's transactions.
    private static var expected: [[SecondApp.Profile]] {
        var changed = reformed(1, "named")
        changed.settings.a = 100
        changed.mood = .sad
        return [
            [], [reformed(1)], [reformed(1), reformed(2)],
            [reformed(1), reformed(2), reformed(3)],
            [reformed(1, "named"), reformed(2), reformed(3)], [changed, reformed(2), reformed(3)],
            [changed, reformed(2)],
        ]
    }

    /// Looks at every moment by both ways.
    private static func checkPast(_ store: Store) throws {
        // The first transaction of a store is the one that defines the types, with the first entity.
        for (index, profiles) in expected.enumerated() {
            let point = HistoryPoint.transaction(TransactionID(UInt64(index)))
            for route in [PastRoute.back, .forth] {
                let then = try store.context(asOf: point, route)
                #expect(Self.profiles(then) == profiles, "transaction \(index), \(route)")
            }
            _ = try store.diff(from: .transaction(0), to: point)
        }
    }

    @Test("They may be changed, deleted and read again")
    func changes() throws {
        let place = StoreTests.Place()
        try Self.written(at: place)
        var store = try Self.open(place)
        #expect(Self.profiles(store.context) == Self.expected[6])
        var first = Self.expected[6][0]
        first.settings.b = 8
        first.mood = .happy
        first.moods = []
        try store.write { try first.save(to: &$0) }
        try store.write { try SecondApp.Profile.delete(id: 2, from: &$0) }
        try store.write { context in
            try Deleted<SecondApp.Profile>.query(3).resolve(in: context)?.restore(in: &context)
        }
        try store.close()
        store = try Self.open(place)
        #expect(Self.profiles(store.context) == [first, Self.reformed(3)])
        try store.write { context in
            try Deleted<SecondApp.Profile>.query(2).resolve(in: context)?.restore(in: &context)
        }
        try store.write { try SecondApp.Profile.delete(id: 1, from: &$0) }
        try store.close()
        store = try Self.open(place)
        #expect(Self.profiles(store.context) == [Self.reformed(2), Self.reformed(3)])
    }

    @Test("The past is what it was, before and behind changes and compactions")
    func past() throws {
        let place = StoreTests.Place()
        try Self.written(at: place)
        let store = try Self.open(place)
        try Self.checkPast(store)
        var first = Self.expected[6][0]
        first.settings.b = 8
        try store.write { try first.save(to: &$0) }
        try store.write { try SecondApp.Profile.delete(id: 2, from: &$0) }
        try Self.checkPast(store)
        try store.compact(retaining: .everything)
        try store.write { context in
            var first = first
            first.mood = .happy
            try first.save(to: &context)
        }
        try Self.checkPast(store)
        try store.close()
        try Self.checkPast(try Self.open(place))
    }

    @Test("A compaction keeps the form that the log goes on from")
    func compaction() throws {
        let place = StoreTests.Place()
        try Self.written(at: place)
        var store = try Self.open(place)
        try store.compact(retaining: Retention.newestState)
        var second = Self.reformed(2)
        second.settings.a = 5
        try store.write { try second.save(to: &$0) }
        try store.write { try SecondApp.Profile.delete(id: 1, from: &$0) }
        try store.close()
        store = try Self.open(place)
        #expect(Self.profiles(store.context) == [second])
    }

    @Test("The older app's transactions are undone, redone and rewound")
    func undo() throws {
        let place = StoreTests.Place()
        try Self.written(at: place)
        var store = try Self.open(place)
        for index in (0..<6).reversed() {
            try store.undo()
            #expect(Self.profiles(store.context) == Self.expected[index], "undone to \(index)")
        }
        for index in 1...6 {
            try store.redo()
            #expect(Self.profiles(store.context) == Self.expected[index], "redone to \(index)")
        }
        try store.rewind(to: .transaction(2))
        #expect(Self.profiles(store.context) == Self.expected[2])
        try store.close()
        store = try Self.open(place)
        #expect(Self.profiles(store.context) == Self.expected[2])
        try store.undo()
        #expect(Self.profiles(store.context) == Self.expected[6])
        try store.close()
        #expect(Self.profiles(try Self.open(place).context) == Self.expected[6])
    }

    @Test("The older app keeps what the newer one has added, until it changes the value")
    func olderApp() throws {
        let place = StoreTests.Place()
        do {
            let store = try Self.open(place)
            var profile = Self.reformed(1)
            profile.mood = .sad
            profile.moods = []
            profile.settings.b = 9
            profile.more?.b = 10
            try store.write { try profile.save(to: &$0) }
            try store.close()
        }
        do {
            let store = try Store(
                at: place.url, compactsAutomatically: false, FirstApp.Profile.self)
            try store.write { context in
                var profile = try #require(FirstApp.Profile.query(1).resolve(in: context))
                profile.name = "older"
                profile.more?.a = 50
                try profile.save(to: &context)
            }
            try store.compact(retaining: Retention.newestState)
            try store.close()
        }
        let profile = try #require(
            SecondApp.Profile.query(1).resolve(in: try Self.open(place).context))
        #expect(profile.name == "older")
        #expect(profile.settings == SecondApp.Settings(a: 1, b: 9))
        #expect(profile.more == SecondApp.Settings(a: 50, b: 7))
    }

    @Test("A value that cannot be written any more stays as the log has it in a compaction")
    func unwritable() throws {
        let place = StoreTests.Place()
        try Self.written(at: place)
        let store = try Store(at: place.url, compactsAutomatically: false, ThirdApp.Profile.self)
        #expect(throws: Never.self) { try store.compact() }
        try store.write { context in
            try ThirdApp.Profile.delete(id: 2, from: &context)
        }
        try store.close()
        let place2 = StoreTests.Place()
        do {
            let store = try Store(at: place2.url, FirstApp.Profile.self)
            try store.write { try Self.profile(1).save(to: &$0) }
            try store.close()
        }
        let broken = try Store(
            at: place2.url, compactsAutomatically: false, ThirdApp.Profile.self)
        #expect(try broken.compact().checkpoint == 1)
        try broken.write { context in
            try ThirdApp.Profile(id: 9, name: "", settings: .init(a: 9), mood: .sad)
                .save(to: &context)
        }
        try broken.close()
        let again = try Store(at: place2.url, FirstApp.Profile.self)
        #expect(again.context.count(FirstApp.Profile.self) == 2)
    }
}
