import Testing
import VarveTestSupport

@testable import VarveInspection

/// Random queries over a random store, against the arrays that it was filled from.
@Suite("Random queries")
struct QueryPropertyTests {
    private typealias Test = (text: String, holds: (QueryStore, QueryStore.User) -> Bool)

    private static func store(_ random: inout SeededGenerator) -> QueryStore {
        let chats = (0..<8).map { position in
            QueryStore.Chat(
                id: Int64(position), title: ["Plan", "Tea", "Plan B"][position % 3],
                seen: Double(position * 1_000))
        }
        let users = (0..<30).map { position in
            QueryStore.User(
                id: "u\(position)", name: ["Ann", "ann", "Bob", ""].randomElement(using: &random)!,
                age: Bool.random(using: &random) ? Int64.random(in: -3...3, using: &random) : nil,
                boss: position > 0 && Bool.random(using: &random)
                    ? Int.random(in: 0..<position, using: &random) : nil,
                chats: chats.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        }
        return QueryStore(users: users, chats: chats)
    }

    private static func leaf(_ random: inout SeededGenerator) -> Test {
        let number = Int64.random(in: -4...4, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return ("age == \(number)", { $1.age == number })
        case 1: return ("age != \(number)", { $1.age != number })
        case 2: return ("age < \(number)", { $1.age.map { $0 < number } ?? false })
        case 3: return ("age >= \(number)", { $1.age.map { $0 >= number } ?? false })
        case 4: return ("age is null", { $1.age == nil })
        case 5: return ("lower(name) == \"ann\"", { $1.name.lowercased() == "ann" })
        case 6:
            return (
                "boss.age > \(number)",
                { store, user in
                    user.boss.flatMap { store.users[$0].age }.map { $0 > number } ?? false
                }
            )
        case 7:
            return (
                "any(chats, title startsWith \"Plan\" and id > 2)",
                { store, user in
                    user.chats.contains {
                        store.chats[$0].title.hasPrefix("Plan") && store.chats[$0].id > 2
                    }
                }
            )
        default: return ("count(chats) > \(number)", { $1.chats.count > Int(number) })
        }
    }

    private static func condition(_ random: inout SeededGenerator, depth: Int) -> Test {
        guard depth > 0, Int.random(in: 0..<4, using: &random) > 0 else { return leaf(&random) }
        let first = condition(&random, depth: depth - 1)
        let second = condition(&random, depth: depth - 1)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return ("not (\(first.text))", { !first.holds($0, $1) })
        case 1:
            return (
                "(\(first.text)) and (\(second.text))",
                { first.holds($0, $1) && second.holds($0, $1) }
            )
        default:
            return (
                "(\(first.text)) or (\(second.text))",
                { first.holds($0, $1) || second.holds($0, $1) }
            )
        }
    }

    @Test("Find what a naive filter, sort and count find", arguments: [1, 2, 3, 4] as [UInt64])
    func answers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = Self.store(&random)
        let store = try model.written()
        let inspection = try Inspection(at: store.path)
        for round in 0..<250 {
            let test = Self.condition(&random, depth: 3)
            let expected = model.users.filter { test.holds(model, $0) }
            let text = "User where \(test.text)"
            let note = Comment(rawValue: "seed \(seed), round \(round): \(text)")
            let (offset, limit) = (Int.random(in: 0...3, using: &random), 10)
            let window =
                expected.enumerated().sorted {
                    let (one, other) = ($0.element.age ?? .min, $1.element.age ?? .min)
                    return one == other ? $0.offset < $1.offset : one > other
                }.dropFirst(offset).prefix(limit).map { "\"\($0.element.id)\"" }
            let ordered = "\(text) order by -age select id limit \(limit) offset \(offset)"
            #expect(
                try QueryStore.answer(ordered, in: inspection).map { $0[0] } == Array(window), note)
            let sum = expected.reduce(0) { $0 + ($1.age ?? 0) }
            #expect(
                try QueryStore.answer("\(text) select count(), sum(age)", in: inspection)
                    == [["\(expected.count)", "\(sum)"]], note)
        }
    }
}
