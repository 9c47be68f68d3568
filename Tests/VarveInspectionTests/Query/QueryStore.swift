import VarveInspection
import VarveTestSupport

/// Users and chats with known values, to ask questions about.
struct QueryStore {
    struct User {
        var id: String
        var name: String
        var age: Int64?
        var bio = ""
        var boss: Int?
        var chats: [Int] = []
    }

    struct Chat {
        var id: Int64
        var title: String
        /// Seconds since 2001.
        var seen: Double
    }

    var users: [User]
    var chats: [Chat]
    /// Whether the last chat is the first in the order of its type.
    var chatsDescend = false

    static let sample = QueryStore(
        users: [
            User(id: "ann", name: "Ann", age: 30, bio: "likes tea", chats: [0, 1]),
            User(id: "bob", name: "Bob", age: nil, boss: 0, chats: [0]),
            User(id: "cy", name: "Cy", age: 7, boss: 1),
            User(id: "dee", name: "Dée", age: 30, boss: 0, chats: [2]),
        ],
        chats: [
            Chat(id: 7, title: "Plans", seen: 0), Chat(id: 8, title: "Tea", seen: 86_400.5),
            Chat(id: 9, title: "Plan \"B\"", seen: -3_600),
        ])

    /// A store with these, each transaction changing nothing but what it says.
    func written() throws -> SampleStore {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction("Fill") { encoder in
            for (position, user) in users.enumerated() {
                encoder.insert(
                    encoder.user(user.id), UInt64(position + 1),
                    try SampleStore.user(user.name, user.age, bio: user.bio))
            }
            for (position, chat) in chats.enumerated() {
                encoder.insert(
                    encoder.chat(chat.id),
                    UInt64(chatsDescend ? chats.count - position : position + 1),
                    try SampleStore.chat(chat.title, seen: chat.seen))
            }
            for user in users {
                let own = encoder.user(user.id)
                if let boss = user.boss {
                    encoder.link(own, 2, old: 0, insert: [(0, encoder.user(users[boss].id))])
                }
                guard !user.chats.isEmpty else { continue }
                let targets = user.chats.map { encoder.chat(chats[$0].id) }
                encoder.link(
                    own, 1, old: 0, insert: targets.enumerated().map { ($0.offset, $0.element) })
            }
        }
        try store.close()
        return store
    }

    /// Why a query cannot be understood; nil where it can.
    static func error(_ text: String, in inspection: Inspection) throws -> QueryError? {
        do {
            _ = try inspection.answer(InspectionQuery(text))
            return nil
        } catch let error as QueryError {
            return error
        } catch QueryFailure.query(let error) {
            return error
        }
    }

    /// What a query finds, each row as its cells' JSON.
    static func answer(_ text: String, in inspection: Inspection) throws -> [[String]] {
        try inspection.answer(InspectionQuery(text)).rows.map { $0.map(\.json) }
    }
}
