import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Random logs are replayed into a state, which must not differ in anything from a naive model.
@Suite("States of random logs")
struct StateReplayTests {
    @Test(
        "Random logs lead to the model, with rollbacks in between and states held",
        arguments: TestSize.choose(1...20, nightly: 1...60))
    func randomLogs(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed) << 32)
        var state = State()
        var held: [(state: State, digest: UInt64)] = []
        var waiting: [[UInt8]] = []
        var log: [[UInt8]] = []
        for step in 0..<120 {
            waiting.append(try model.transaction())
            log.append(waiting[waiting.count - 1])
            // One transaction of the engine may take several of the log.
            if generator.chance(3), step < 119 { continue }
            let applied = waiting
            if generator.chance(4) {
                let transaction = StateTransaction(state)
                for bytes in applied { try apply(bytes, to: transaction) }
                transaction.rollBack()
            }
            state = try state.changed { transaction in
                for bytes in applied { try apply(bytes, to: transaction) }
            }
            waiting = []
            let digest = model.digest()
            #expect(try state.digest() == digest, "seed \(seed), transaction \(step + 1)")
            for type in model.types {
                let number = model.lastNumber(of: type)
                #expect(state.table(type.number)?.lastNumber == number, "seed \(seed)")
                #expect(state.lastNumber(of: type) == number, "seed \(seed)")
            }
            if generator.chance(8) { held.append((state, digest)) }
            if held.count > 6 { held.remove(at: generator.below(held.count)) }
        }
        for version in held {
            #expect(try version.state.digest() == version.digest, "seed \(seed), held")
        }
        let comparison = StateComparison(
            state, ids: try Self.mentionedIDs(in: log), seed: seed)
        try comparison.compare(to: model)
        held = []
        state.store.reclaim()
        #expect(state.store.liveVersionCount == 1, "seed \(seed)")
        try expectNoLostPages(state, log, seed: seed)
    }

    /// The ids of each type in the order in which transactions mention them first: that of their slots.
    private static func mentionedIDs(in log: [[UInt8]]) throws -> [TypeNumber: [[UInt8]]] {
        var ids: [TypeNumber: [[UInt8]]] = [:]
        for bytes in log {
            try bytes.withUnsafeBytes { bytes in
                for entity in try TransactionView(bytes).entities {
                    let id = [UInt8](entity.id)
                    if ids[entity.type]?.contains(id) == true { continue }
                    ids[entity.type, default: []].append(id)
                }
            }
        }
        return ids
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
    private func expectNoLostPages(_ state: State, _ log: [[UInt8]], seed: Int) throws {
        let atOnce = try rebuilt(log)
        #expect(try atOnce.digest() == state.digest(), "seed \(seed)")
        #expect(atOnce.store.pageCount == state.store.pageCount, "seed \(seed)")
    }

    /// What twelve damaged variants of each of 25 transactions come to: a hash of the texts of all errors, and of the
    /// digests of the states where a variant is a transaction all the same.
    private static let outcomes: [UInt64] = [
        0xAEC3_1744_655B_73D4, 0xC9A9_FBC5_2211_5F8B, 0x3A0C_CC22_479C_046E,
        0x0E46_10A8_7DDC_3DE2, 0x7A3F_AE05_81D0_AB8F, 0xD631_9B89_70FC_C903,
        0xB51E_5CEE_EF11_6B98, 0x6DEC_0105_79A6_2277, 0xAE87_C64D_50EB_6498,
        0x7C71_1A6D_4124_BA2E, 0x03CE_6902_D765_0688, 0xC662_6EF2_67FC_32BD,
    ]

    @Test(
        "Damaged transactions give the errors that they always gave, and a rollback leaves the state as it was",
        arguments: TestSize.choose(1...6, nightly: 1...12))
    func errors(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed))
        var log: [[UInt8]] = []
        var state = State()
        var outcomes = ""
        for _ in 0..<25 {
            let bytes = try model.transaction()
            for _ in 0..<12 {
                let damaged = damage(bytes, of: log, &generator)
                let before = try state.digest()
                var changed: State?
                do {
                    changed = try state.changed { try apply(damaged, to: $0) }
                } catch {
                    #expect(error is ReplayError || error is EventError, "seed \(seed)")
                    outcomes += "\(error)\n"
                }
                #expect(try state.digest() == before, "seed \(seed)")
                guard let changed else { continue }
                // What is damaged may still be a transaction. The state before is an older one then.
                outcomes += "\(try changed.digest())\n"
                state = try rebuilt(log)
            }
            log.append(bytes)
            state = try state.changed { try apply(bytes, to: $0) }
        }
        let hash = Array(outcomes.utf8).withUnsafeBytes { KeyedHash.stableHash($0) }
        #expect(hash == Self.outcomes[seed - 1], "seed \(seed) comes to \(hash)")
    }

    private func rebuilt(_ log: [[UInt8]]) throws -> State {
        try State().changed { transaction in
            for bytes in log { try apply(bytes, to: transaction) }
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

    private func apply(_ bytes: [UInt8], to transaction: StateTransaction) throws {
        try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
    }
}
