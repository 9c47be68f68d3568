internal import VarveEvents
internal import VarveTables

/// A transaction that leads from one content to another, in a log of nothing else.
enum IsolatedTransaction {
    /// - Parameters:
    ///   - definitions: those of the log, which the transaction does not hold.
    ///   - former: sets what there was.
    ///   - change: makes of it what is to be there.
    /// - Returns: the payload.
    static func payload(
        _ header: TransactionHeader, _ definitions: [TypeDefinition],
        from former: (StateDraft) throws -> Void, to change: (StateDraft) throws -> Void
    ) throws -> [UInt8] {
        let before = TransactionID(header.id.rawValue - 1)
        let transaction = StateTransaction(State(after: before))
        defer { transaction.rollBack() }
        do {
            try transaction.define(definitions, in: before)
        } catch ReplayError.definition(_, let error) {
            throw StoreError.schema([SchemaProblem(error)])
        }
        try former(StateDraft(lookingBackIn: transaction))
        let draft = StateDraft(transaction, running: header.id, time: header.time)
        try change(draft)
        var encoder = TransactionEncoder()
        encoder.begin(id: header.id, time: header.time)
        try draft.encode(into: &encoder)
        var payload = ByteWriter()
        encoder.finish(header, into: &payload)
        return payload.copyBytes()
    }
}
