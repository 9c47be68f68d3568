import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A replay inserts an entity with a new id at once, before the entities behind it have slots. It must not show.
@Suite("Slots of replayed entities")
struct SlotOrderTests {
    private static let type = UserLog.type

    private struct Entry: Equatable {
        var id: [UInt8]
        var presence = EntityPresence.live
        /// Of a live one.
        var age = -1
    }

    private func entries(of state: State, type: TypeNumber = type) throws -> [Entry] {
        var cursor = try #require(state.entries(of: type))
        var found: [Entry] = []
        while let entry = cursor.nextEntry() {
            let isKnown = state.slot(of: type, id: entry.id) == entry.slot
            #expect(isKnown, "slot \(entry.slot)")
            found.append(
                Entry(
                    id: [UInt8](entry.id), presence: entry.presence,
                    age: UserLog.age(in: entry.row)))
        }
        return found
    }

    private func insert(_ entity: EntityIndex, age: Int, _ encoder: inout TransactionEncoder) {
        encoder.insert(
            entity, ordinal: Ordinal(UInt64(1_000 + age)), row: UserLog.row(age, age: age))
    }

    /// Several look-ups long. Of the ids that are known, the deleted ones are inserted again; they and the new ones, but
    /// for every fifth, come in the opposite order.
    @Test(
        "Ids get their slots in the order of a transaction's entities, in whatever order events name them"
    )
    func slotOrder() throws {
        let state = try UserLog.delete(20..<30, of: UserLog.state(count: 40))
        let numbers = (0..<120).map { $0 % 2 == 0 ? 1_000 + $0 : $0 / 4 }
        let inserted = Set(numbers.filter { $0 >= 20 && $0 % 5 != 0 })
        let bytes = UserLog.transaction(behind: state) { encoder in
            let entities = numbers.map { encoder.entity(Self.type, bytes: UserLog.id($0)) }
            var left = inserted
            for index in numbers.indices.reversed() where left.remove(numbers[index]) != nil {
                insert(entities[index], age: numbers[index], &encoder)
            }
        }
        var expected = (0..<40).map { Entry(id: UserLog.id($0), age: $0) }
        for number in 20..<30 where !inserted.contains(number) {
            expected[number] = Entry(id: UserLog.id(number), presence: .gone)
        }
        for number in numbers where number >= 1_000 {
            let isInserted = inserted.contains(number)
            expected.append(
                Entry(
                    id: UserLog.id(number), presence: isInserted ? .live : .vacant,
                    age: isInserted ? number : -1))
        }
        let changed = try UserLog.apply(bytes, to: state)
        #expect(try entries(of: changed) == expected)
        #expect(changed.counts(of: Self.type).live == 30 + inserted.count)
    }

    @Test("An id that a transaction lists twice is inserted once", arguments: [[1, 0], [0, 1]])
    func listedTwice(order: [Int]) throws {
        let state = try UserLog.state(count: 3)
        let mention = UserLog.transaction(behind: state) {
            _ = $0.entity(Self.type, bytes: UserLog.id(7))
        }
        let bytes = try mention.withUnsafeBytes { mention in
            let entity = try TransactionView(mention).entities[0]
            return UserLog.transaction(behind: state) { encoder in
                for _ in 0..<2 { encoder.append(entity) }
                for index in order { insert(EntityIndex(UInt32(index)), age: index, &encoder) }
            }
        }
        let error = #expect(throws: ReplayError.self) { try UserLog.apply(bytes, to: state) }
        guard case .entity(_, _, _, .alreadyExists) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try entries(of: state).count == 3)
    }

    @Test("A new id that is only mentioned gets its slot between those that are inserted")
    func mentioned() throws {
        let state = try UserLog.state(count: 3)
        let bytes = UserLog.transaction(behind: state) { encoder in
            let entities = (10..<15).map { encoder.entity(Self.type, bytes: UserLog.id($0)) }
            for index in [0, 2, 3] { insert(entities[index], age: 10 + index, &encoder) }
        }
        let found = try entries(of: UserLog.apply(bytes, to: state))
        #expect(found.dropFirst(3).map(\.id) == (10..<15).map { UserLog.id($0) })
        #expect(found.dropFirst(3).map(\.age) == [10, -1, 12, 13, -1])
    }

    @Test("An entity is inserted, deleted and inserted again in one transaction")
    func insertedAgain() throws {
        let state = try UserLog.state(count: 3)
        let version = PreviousVersion(
            transaction: state.nextTransaction,
            updatedAt: Timestamp(microseconds: Int64(state.nextTransaction.rawValue)))
        let bytes = UserLog.transaction(behind: state) { encoder in
            let entity = encoder.entity(Self.type, bytes: UserLog.id(10))
            insert(entity, age: 1, &encoder)
            encoder.delete(
                entity, keepsTombstone: false, ordinal: Ordinal(1_001), previous: version,
                row: UserLog.row(1, age: 1))
            insert(entity, age: 2, &encoder)
        }
        let changed = try UserLog.apply(bytes, to: state)
        #expect(try entries(of: changed).dropFirst(3) == [Entry(id: UserLog.id(10), age: 2)])
        #expect(changed.counts(of: Self.type) == TypeCounts(live: 4, tombstones: 0, slots: 4))
    }

    @Test("Entities of a type that their transaction defines get slots as events name them")
    func definedInBetween() throws {
        let state = try UserLog.state(count: 3)
        let type = TypeNumber(2)
        let definition = TypeDefinition(
            number: type, name: "Member", idType: .string, fields: UserLog.definition.fields,
            relations: [])
        let bytes = try UserLog.transaction(behind: state) { encoder in
            let members = (0..<4).map { encoder.entity(type, bytes: UserLog.id($0)) }
            let user = encoder.entity(Self.type, bytes: UserLog.id(10))
            try encoder.define(definition)
            for index in [2, 0, 3] { insert(members[index], age: index, &encoder) }
            insert(user, age: 10, &encoder)
        }
        let changed = try UserLog.apply(bytes, to: state)
        #expect(
            try entries(of: changed, type: type)
                == [2, 0, 3].map { Entry(id: UserLog.id($0), age: $0) })
        #expect(try entries(of: changed).dropFirst(3) == [Entry(id: UserLog.id(10), age: 10)])
    }

    @Test("An invalid id gets no slot, and is an error as soon as an event names it")
    func invalidID() throws {
        let state = try UserLog.state(count: 3)
        func bytes(isNamed: Bool) -> [UInt8] {
            UserLog.transaction(behind: state) { encoder in
                let invalid = encoder.entity(Self.type, bytes: [9, 0])
                insert(encoder.entity(Self.type, bytes: UserLog.id(10)), age: 10, &encoder)
                if isNamed { insert(invalid, age: 11, &encoder) }
            }
        }
        let error = #expect(throws: ReplayError.self) {
            try UserLog.apply(bytes(isNamed: true), to: state)
        }
        guard case .entity(_, _, _, .invalidID) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let changed = try UserLog.apply(bytes(isNamed: false), to: state)
        #expect(try entries(of: changed).dropFirst(3) == [Entry(id: UserLog.id(10), age: 10)])
    }

    /// Behind a definition, which may repeat the one that holds, all entities have their slots before an event names them.
    @Test(
        "Transactions lead to the state that they lead to where entities get their slots first",
        arguments: TestSize.choose(1...10, nightly: 1...100))
    func slotsFirst(seed: Int) throws {
        var states = [try UserLog.state(count: 40), try UserLog.state(count: 40)]
        for round in 0..<8 {
            for index in states.indices {
                var generator = SeededGenerator(seed: UInt64(seed) << 8 | UInt64(round))
                let bytes = try UserLog.transaction(behind: states[index]) { encoder in
                    if index == 1 { try encoder.define(UserLog.definition) }
                    Self.addEvents(to: &encoder, behind: states[index], &generator)
                }
                states[index] = try UserLog.apply(bytes, to: states[index])
            }
            let contents = states.map { StateContent($0) }
            #expect(contents[0] == contents[1], "seed \(seed), round \(round)")
        }
    }

    /// Inserts and deletes users in another order than that in which they are listed, some several times, some not at all.
    private static func addEvents(
        to encoder: inout TransactionEncoder, behind state: State,
        _ generator: inout SeededGenerator
    ) {
        let now = PreviousVersion(
            transaction: state.nextTransaction,
            updatedAt: Timestamp(microseconds: Int64(state.nextTransaction.rawValue)))
        var versions: [Int: PreviousVersion] = [:]
        let numbers = (0..<100).map { _ in generator.below(300) }
        for number in numbers {
            if generator.chance(20) { _ = encoder.entity(type, bytes: [9, UInt8(number % 9)]) }
            _ = encoder.entity(type, bytes: UserLog.id(number))
            versions[number] = UserLog.id(number).withUnsafeBytes {
                state.entry(of: type, id: $0)?.version
            }
        }
        for number in (numbers + numbers).shuffled(using: &generator) {
            if generator.chance(3) { continue }
            let entity = encoder.entity(type, bytes: UserLog.id(number))
            let row = UserLog.row(number, age: number % 90)
            let ordinal = Ordinal(UInt64(number + 1))
            if let version = versions[number] {
                encoder.delete(
                    entity, keepsTombstone: false, ordinal: ordinal, previous: version, row: row)
                versions[number] = nil
            } else {
                encoder.insert(entity, ordinal: ordinal, row: row)
                versions[number] = now
            }
        }
    }
}
