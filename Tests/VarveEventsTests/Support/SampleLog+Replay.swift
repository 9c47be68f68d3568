import VarveEvents
import VarveTestSupport

extension SampleLog {
    /// The state after all transactions.
    borrowing func replayed() throws -> ReplayState {
        let state = ReplayState()
        for transaction in transactions { try state.apply(bytes: transaction) }
        return state
    }
}

extension ReplayState {
    /// Applies a transaction in its binary form.
    func apply(bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in try apply(TransactionView(bytes)) }
    }
}
