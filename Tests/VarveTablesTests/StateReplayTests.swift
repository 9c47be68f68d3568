import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A random log is replayed into both states, which must not differ in anything.
@Suite("A state and the replayed one")
struct StateReplayTests {
    @Test(
        "Random logs give the same digests, with rollbacks in between and states held",
        arguments: 1...40)
    func randomLogs(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed) << 32)
        let replayed = ReplayState()
        var state = State()
        var held: [(state: State, digest: UInt64)] = []
        var waiting: [[UInt8]] = []
        for step in 0..<120 {
            waiting.append(try model.transaction())
            try withView(waiting[waiting.count - 1]) { try replayed.apply($0) }
            // One transaction of the engine may take several of the log.
            if generator.chance(3) { continue }
            let applied = waiting
            if generator.chance(4) {
                let transaction = StateTransaction(state)
                for bytes in applied { try withView(bytes) { try transaction.apply($0) } }
                transaction.rollBack()
            }
            state = try state.changed { transaction in
                for bytes in applied { try withView(bytes) { try transaction.apply($0) } }
            }
            waiting = []
            let digest = try replayed.digest()
            #expect(try state.digest() == digest, "seed \(seed), transaction \(step + 1)")
            #expect(digest == model.digest(), "seed \(seed), transaction \(step + 1)")
            for type in model.types {
                let number = model.lastNumber(of: type)
                #expect(replayed.lastNumber(of: type) == number, "seed \(seed)")
                #expect(state.table(type.number)?.lastNumber == number, "seed \(seed)")
            }
            if generator.chance(8) { held.append((state, digest)) }
            if held.count > 6 { held.remove(at: generator.below(held.count)) }
        }
        for version in held {
            #expect(try version.state.digest() == version.digest, "seed \(seed), held")
        }
        for bytes in waiting {
            state = try state.changed { transaction in
                try withView(bytes) { try transaction.apply($0) }
            }
        }
        try compare(state, replayed, seed: seed)
        held = []
        state.store.reclaim()
        #expect(state.store.liveVersionCount == 1, "seed \(seed)")
        try expectNoLostPages(state, transactions: model, seed: seed)
    }

    @Test("A salvage counts an id that no event names of the transaction that defines its type")
    func salvagedNumber() throws {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(id: 1, time: Timestamp(microseconds: 1))
        encoder.begin(id: header.id, time: header.time)
        try encoder.define(
            TypeDefinition(
                number: TypeNumber(1), name: "Note", idType: .int64, fields: [], relations: [],
                numbersIDs: true))
        _ = encoder.entity(TypeNumber(1), bytes: try 5.storedBytes())
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        let bytes = writer.copyBytes()
        let salvage = SalvageReplay()
        let outcome = try bytes.withUnsafeBytes { try salvage.take($0) }
        guard case .whole = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(salvage.currentState().table(TypeNumber(1))?.lastNumber == 5)
    }

    /// A state that one transaction of the engine made of the whole log has as many pages: none that was
    /// replaced is left over.
    private func expectNoLostPages(
        _ state: State, transactions: borrowing ReplayModel, seed: Int
    ) throws {
        var model = ReplayModel(seed: UInt64(seed))
        let atOnce = try State().changed { transaction in
            for _ in 0..<120 {
                let bytes = try model.transaction()
                try withView(bytes) { try transaction.apply($0) }
            }
        }
        #expect(try atOnce.digest() == state.digest(), "seed \(seed)")
        #expect(atOnce.store.pageCount == state.store.pageCount, "seed \(seed)")
    }

    /// By the reading interfaces, which the digests do not go through.
    private func compare(_ state: State, _ replayed: ReplayState, seed: Int) throws {
        #expect(state.catalog.definitions == replayed.catalog.definitions)
        #expect(state.lastTransaction == replayed.lastTransaction)
        for definition in replayed.catalog.definitions {
            let type = definition.number
            #expect(state.counts(of: type) == replayed.counts(of: type), "seed \(seed)")
            #expect(
                state.slotsInOrder(of: type).map(\.rawValue) == replayed.slotsInOrder(of: type))
            for number in 0..<UInt32(replayed.counts(of: type).slots) {
                let slot = Slot(number)
                let entry = try #require(state.entry(of: type, at: slot))
                let id = replayed.withID(of: type, at: number) { [UInt8]($0) }
                #expect(id == [UInt8](entry.id), "seed \(seed)")
                #expect(state.slot(of: type, id: entry.id) == slot)
                #expect(
                    entry.version?.transaction == replayed.transaction(of: type, at: number))
                let departure = replayed.departure(of: type, at: number)
                #expect((entry.presence == .gone) == (departure != nil), "seed \(seed)")
                #expect(
                    departure.map { $0.transaction.rawValue == entry.stamps.transaction } ?? true)
                for (position, links) in replayed.links(of: type).enumerated() {
                    let targets = state.targets(of: type, at: slot, relation: position)
                    #expect(targets.map(\.rawValue) == links.targets(of: number), "seed \(seed)")
                    #expect(
                        targets.count == state.targetCount(of: type, at: slot, relation: position))
                }
                let kept = state.keptLists(of: type, at: slot)
                let expected = replayed.deletedLists(of: type, at: number).filter {
                    !$0.slots.isEmpty
                }
                #expect(kept.map(\.relation) == expected.map(\.relation), "seed \(seed)")
                #expect(kept.map { $0.slots.map(\.rawValue) } == expected.map(\.slots))
            }
            try compareRows(state, replayed, of: definition, seed: seed)
        }
    }

    /// In the newest layout, and in one whose fields are the other way round.
    private func compareRows(
        _ state: State, _ replayed: ReplayState, of definition: TypeDefinition, seed: Int
    ) throws {
        var turned = definition
        turned.fields.reverse()
        for layout in [definition, turned] {
            guard var expected = replayed.reader(of: definition.number, as: layout),
                var reader = state.reader(of: definition.number, as: layout),
                var cursor = state.entries(of: definition.number)
            else {
                Issue.record("seed \(seed): the type is there")
                return
            }
            while let entry = cursor.nextEntry() {
                let row = try expected.read(entry.slot.rawValue) { [UInt8]($0.row) }
                let found = try reader.read(entry.slot) { [UInt8]($0.row) }
                #expect(found == row, "seed \(seed)")
            }
        }
    }

    @Test(
        "Damaged transactions give the same errors, and a rollback leaves the state as it was",
        arguments: 1...12)
    func errors(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed))
        var log: [[UInt8]] = []
        var state = State()
        for _ in 0..<25 {
            let bytes = try model.transaction()
            for _ in 0..<12 {
                let damaged = damage(bytes, of: log, &generator)
                let (expected, digest) = outcome(of: damaged, after: log)
                let before = try state.digest()
                var changed: State?
                let found = error { changed = try state.changed { try apply(damaged, to: $0) } }
                #expect(found == expected, "seed \(seed)")
                #expect(try state.digest() == before, "seed \(seed)")
                if let changed {
                    // What is damaged may still be a transaction. The state before is an older one then.
                    #expect(try changed.digest() == digest, "seed \(seed)")
                    state = try rebuilt(log)
                }
            }
            log.append(bytes)
            state = try state.changed { try apply(bytes, to: $0) }
        }
    }

    /// The error that the replayed state throws, or the digest that it comes to.
    private func outcome(
        of bytes: [UInt8], after log: [[UInt8]]
    ) -> (error: String?, digest: UInt64?) {
        let replayed = ReplayState()
        for bytes in log { try? withView(bytes) { try replayed.apply($0) } }
        let failure = error { try withView(bytes) { try replayed.apply($0) } }
        return (failure, failure == nil ? try? replayed.digest() : nil)
    }

    private func rebuilt(_ log: [[UInt8]]) throws -> State {
        try State().changed { transaction in
            for bytes in log { try apply(bytes, to: transaction) }
        }
    }

    private func error<Result>(_ body: () throws -> Result) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Another byte somewhere, or an earlier transaction once more under the next id.
    private func damage(
        _ bytes: [UInt8], of log: [[UInt8]], _ generator: inout SeededGenerator
    ) -> [UInt8] {
        if generator.chance(3), let earlier = log.randomElement(using: &generator) {
            // Ids below 128 take the second byte.
            var copy = earlier
            copy[1] = bytes[1]
            return copy
        }
        var copy = bytes
        let position = 2 + generator.below(max(1, copy.count - 2))
        if position < copy.count {
            copy[position] = UInt8(truncatingIfNeeded: generator.next())
        }
        return copy
    }

    private func withView<Result>(
        _ bytes: [UInt8], _ body: (TransactionView) throws -> Result
    ) throws -> Result {
        try bytes.withUnsafeBytes { try body(TransactionView($0)) }
    }

    private func apply(_ bytes: [UInt8], to transaction: StateTransaction) throws {
        try withView(bytes) { try transaction.apply($0) }
    }
}
