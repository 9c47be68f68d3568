import Testing
import VarveEvents
import VarveTables
import VarveTestSupport

/// Transactions that lie below a checkpoint are not replayed at opening, so what they say meets the
/// state for the first time when they are undone.
@Suite("Hostile transactions are undone")
struct HostileReversalTests {
    /// What taking back a transaction says that was never applied.
    private func takeBack(
        _ mode: Reversal<StateDraft>.Mode,
        _ events: (inout TransactionEncoder) throws -> Void
    ) throws -> String {
        var log = try SampleLog.started()
        let state = try log.state()
        let transaction = StateTransaction(state)
        defer { transaction.rollBack() }
        try log.transaction(.write, events)
        let reversal = Reversal(
            StateDraft(transaction, running: TransactionID(4), time: SampleLog.time(4)), mode,
            catalog: state.catalog, running: TransactionID(4))
        do {
            try log.transactions[2].withUnsafeBytes { bytes in
                try reversal.takeBack(TransactionView(bytes))
            }
            return "none"
        } catch let error as ReversalError {
            return "\(error)"
        }
    }

    @Test("Links to entities of another type, and several in a to-one relation, are refused")
    func foreignLinks() throws {
        for mode in [Reversal<StateDraft>.Mode.past, .rewind, .head(force: true)] {
            // The list is as the event left it; a chat comes where users belong.
            let foreign = try takeBack(mode) { encoder in
                encoder.link(
                    encoder.chat(7), relation: RelationNumber(1), oldCount: 3,
                    removals: [ListChange(position: 2, entity: encoder.chat(900))],
                    insertions: [])
            }
            #expect(foreign.contains("lead to what cannot be there"))
            let several = try takeBack(mode) { encoder in
                encoder.link(
                    encoder.user("ann"), relation: RelationNumber(2), oldCount: 2,
                    removals: [
                        ListChange(position: 0, entity: encoder.user("bob")),
                        ListChange(position: 1, entity: encoder.user("ann")),
                    ], insertions: [])
            }
            #expect(several.contains("lead to what cannot be there"))
        }
    }
}
