import Testing
import VarveEvents
import VarveTestSupport

@Suite("Slots that are given out ahead")
struct SlotsAheadTests {
    /// Applies transactions to a state, after the entities of several were given their slots.
    private func replay(
        _ transactions: [[UInt8]], ahead: () -> Int
    ) throws -> ReplayState {
        let state = ReplayState()
        let slotsAhead = try #require(SlotsAhead(state))
        var resolved = ResolvedSlots()
        var waiting: [(bytes: [UInt8], share: ResolvedSlots.Share)] = []
        func applyWaiting() throws {
            for (bytes, share) in waiting {
                try bytes.withUnsafeBytes {
                    try state.apply(TransactionView($0), resolved, share)
                }
            }
            waiting = []
            resolved.removeAll()
        }
        var next = ahead()
        for bytes in transactions {
            let share = try bytes.withUnsafeBytes { bytes in
                let view = try TransactionView(bytes)
                return slotsAhead.knowsTypes(of: view)
                    ? slotsAhead.resolve(view, into: &resolved) : nil
            }
            if let share { waiting.append((bytes, share)) }
            if share == nil || waiting.count >= next {
                try applyWaiting()
                next = ahead()
            }
            guard share == nil else { continue }
            try state.apply(bytes: bytes)
            slotsAhead.lookAtTypes()
        }
        try applyWaiting()
        return state
    }

    @Test("Whoever looks the entities up, and however far ahead, it is the same", arguments: 1...40)
    func randomWorkloads(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var model = ReplayModel(seed: UInt64(seed))
        var transactions: [[UInt8]] = []
        for _ in 0..<120 { transactions.append(try model.transaction()) }
        let state = try replay(transactions) { Int.random(in: 1...30, using: &random) }
        #expect(try state.digest() == model.digest(), "seed \(seed)")
        // What is looked up behind it is found, and what is new gets the next slot.
        for _ in 0..<20 {
            try state.apply(bytes: try model.transaction())
            #expect(try state.digest() == model.digest(), "seed \(seed)")
        }
    }

    @Test("An id that no entity can have is told by the event that needs it, in the same words")
    func malformedID() throws {
        var log = try SampleLog.started()
        log.transaction { encoder in
            // Named, and not needed.
            _ = encoder.entity(TypeNumber(1), bytes: [9, 1])
            encoder.insert(encoder.chat(9), ordinal: Ordinal(2), row: [])
        }
        #expect(try replay(log.transactions) { 100 }.digest() == log.replayed().digest())
        try log.transaction { encoder in
            encoder.insert(
                encoder.entity(TypeNumber(1), bytes: [9, 1]), ordinal: Ordinal(3),
                row: try SampleLog.row("Eve", 1))
        }
        let plain = #expect(throws: ReplayError.self) { try log.replayed() }
        let ahead = #expect(throws: ReplayError.self) {
            try replay(log.transactions) { 100 }
        }
        guard case .entity(TransactionID(4), "User", _, .invalidID) = ahead else {
            Issue.record("\(String(describing: ahead))")
            return
        }
        #expect("\(String(describing: plain))" == "\(String(describing: ahead))")
    }

    @Test("Both give the same slots to all that is mentioned, needed or not")
    func mentioned() throws {
        var log = try SampleLog.started()
        log.transaction { encoder in
            for number in 0..<20 { _ = encoder.user("user \(number)") }
            _ = encoder.entity(TypeNumber(1), bytes: [9, 1])
            encoder.insert(encoder.chat(9), ordinal: Ordinal(2), row: [])
        }
        let plain = try log.replayed()
        let ahead = try replay(log.transactions) { 100 }
        for type in [SampleLog.users, SampleLog.chats] {
            #expect(plain.counts(of: type.number) == ahead.counts(of: type.number))
            for slot in 0..<UInt32(plain.counts(of: type.number).slots) {
                #expect(
                    plain.withID(of: type.number, at: slot) { Array($0) }
                        == ahead.withID(of: type.number, at: slot) { Array($0) })
            }
        }
        #expect(plain.counts(of: SampleLog.users.number).slots == 22)
    }

    @Test("Whoever has entities looks them up among their records")
    func loaded() throws {
        let log = try SampleLog.started()
        #expect(SlotsAhead(try log.replayed()) == nil)
    }
}
