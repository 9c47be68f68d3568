internal import VarveLog
internal import VarveTables

/// Makes transactions of an import, and gives them to the log or keeps them.
final class ImportWriter {
    typealias Emission = (TransactionHeader, consuming ByteWriter) throws(LogError) -> Void

    /// Whether the import may be several transactions: a new store is not visible before it is complete.
    let writesInParts: Bool
    private let label: String
    private let time: Timestamp
    private let emit: Emission
    private var next: TransactionID
    /// What is not written yet.
    private var definitions: [TypeDefinition] = []

    init(
        after last: TransactionID, label: String, time: Timestamp, writesInParts: Bool,
        emit: @escaping Emission
    ) {
        next = TransactionID(last.rawValue + 1)
        self.label = label
        self.time = time
        self.writesInParts = writesInParts
        self.emit = emit
    }

    func draft(of state: StateTransaction) -> StateDraft {
        StateDraft(state, running: next, time: time)
    }

    /// Takes definitions into the state. They are written in front of the first rows.
    func define(
        _ definitions: [TypeDefinition], in state: StateTransaction
    ) throws(ExchangeError) {
        do throws(ReplayError) {
            try state.define(definitions, in: next)
        } catch {
            throw .types([error.reason])
        }
        self.definitions = definitions
    }

    /// Writes what is defined and what a draft has changed, if that is anything.
    func write(_ draft: StateDraft) throws(ExchangeError) {
        var encoder = TransactionEncoder()
        encoder.begin(id: next, time: time)
        do throws(CodecError) {
            for definition in definitions { try encoder.define(definition) }
            try draft.encode(into: &encoder)
        } catch {
            throw .notReadBack(reason: "\(error)")
        }
        guard encoder.eventCount > 0 else { return }
        let hasRows = encoder.eventCount > definitions.count
        let header = TransactionHeader(
            id: next, time: time, kind: hasRows ? .write : .schema,
            isUndoable: hasRows && !writesInParts, label: label)
        var output = ByteWriter()
        encoder.finish(header, into: &output)
        do throws(LogError) {
            try emit(header, output)
        } catch {
            throw .inspection(.log(error))
        }
        definitions = []
        next = TransactionID(next.rawValue + 1)
    }
}
