import Testing
import VarveTestSupport

@testable import VarveInspection

/// Of many rows no more than the first are kept, and those that come behind them are passed over.
@Suite("The first rows of many")
struct QueryFirstRowsTests {
    private static let count = 4_000

    private func ids(_ query: String, _ store: QueryStore) throws -> [Int] {
        let written = try store.written()
        return try QueryStore.answer(query, in: Inspection(at: written.path))
            .map { try #require(Int($0[0])) }
    }

    private func store(_ seen: (Int) -> Double) -> QueryStore {
        QueryStore(
            users: [],
            chats: (0..<Self.count).map {
                QueryStore.Chat(id: Int64($0), title: "Chat", seen: seen($0))
            })
    }

    @Test("Without an order they are those of the type", arguments: [false, true])
    func places(descend: Bool) throws {
        var store = store { Double($0) }
        store.chatsDescend = descend
        let all = descend ? Array((0..<Self.count).reversed()) : Array(0..<Self.count)
        #expect(try ids("Chat limit 3 select id", store) == Array(all[..<3]))
        #expect(try ids("Chat limit 2 offset 900 select id", store) == Array(all[900..<902]))
        #expect(
            try ids("Chat where title == 'Chat' and id < 10 limit 4 select id", store)
                == Array(all.filter { $0 < 10 }.prefix(4)))
    }

    @Test("In an order by dates, dates that are no number come last, however many come first")
    func dates() throws {
        // Three real dates among the first rows, fewer than are wanted.
        let store = store { $0 < 1_500 && $0 % 500 != 7 ? .nan : Double(Self.count - $0) }
        #expect(
            try ids("Chat order by seen limit 5 select id", store)
                == (0..<5).map { Self.count - 1 - $0 })
    }
}
