import Testing
import VarveEvents
import VarveTestSupport

@Suite("Release of replayed types")
struct ReleaseTests {
    @Test("A type that was handed over is refused; others go on")
    func release() throws {
        var log = try SampleLog.started()
        let state = try log.replayed()
        state.release(TypeNumber(1))
        #expect(state.counts(of: TypeNumber(1)) == TypeCounts(live: 0, tombstones: 0, slots: 0))
        #expect(state.links(of: TypeNumber(2))[0].targets(of: 0) == [0, 1])
        log.transaction { encoder in
            encoder.insert(encoder.chat(8), ordinal: Ordinal(2), row: [])
        }
        try state.apply(bytes: log.transactions[2])
        let bob = try SampleLog.row("Bob", nil)
        log.transaction { encoder in
            encoder.insert(encoder.user("eve"), ordinal: Ordinal(3), row: bob)
        }
        #expect(throws: ReplayError.released(4, type: "User")) {
            try state.apply(bytes: log.transactions[3])
        }
    }
}
