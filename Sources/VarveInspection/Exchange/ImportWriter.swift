internal import VarveLog

/// Makes transactions of an import, and gives them to the log or keeps them.
final class ImportWriter {
    typealias Emission = (TransactionHeader, borrowing ByteWriter) throws(LogError) -> Void

    /// Whether the import may be several transactions: a new store is not visible before it is complete.
    let writesInParts: Bool
    private let label: String
    private let time: Timestamp
    private let emit: Emission
    private var next: TransactionID

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

    func draft(of state: ReplayState) -> ReplayedDraft {
        ReplayedDraft(state, running: next, time: time)
    }

    /// Writes definitions, and takes them into the state.
    func define(
        _ definitions: [TypeDefinition], in state: ReplayState
    ) throws(ExchangeError) {
        guard !definitions.isEmpty else { return }
        let header = TransactionHeader(
            id: next, time: time, kind: .schema, isUndoable: false, label: label)
        var encoder = TransactionEncoder()
        encoder.begin(id: next, time: time)
        do {
            for definition in definitions { try encoder.define(definition) }
            var output = ByteWriter()
            encoder.finish(header, into: &output)
            try output.withBytes { bytes in try state.apply(try TransactionView(bytes)) }
            try emit(header, output)
        } catch let error as LogError {
            throw .inspection(.log(error))
        } catch {
            throw .types(["\(error)"])
        }
        next = TransactionID(next.rawValue + 1)
    }

    /// Writes what a draft has changed, if that is anything.
    func write(_ draft: ReplayedDraft) throws(ExchangeError) {
        let header = TransactionHeader(
            id: next, time: time, isUndoable: !writesInParts, label: label)
        var encoder = TransactionEncoder()
        encoder.begin(id: next, time: time)
        do throws(CodecError) {
            try draft.encode(into: &encoder)
        } catch {
            throw .notReadBack(reason: "\(error)")
        }
        guard encoder.eventCount > 0 else { return }
        var output = ByteWriter()
        encoder.finish(header, into: &output)
        do throws(LogError) {
            try emit(header, output)
        } catch {
            throw .inspection(.log(error))
        }
        next = TransactionID(next.rawValue + 1)
    }
}
