public import VarveEvents
public import VarveGraph

/// One transaction, with the old and the new value of everything it changed.
///
/// It holds the transaction's bytes as they are in the log, and decodes what is asked for.
public struct WrittenTransaction: Sendable {
    /// What the transaction says about itself.
    public let info: TransactionInfo
    let bytes: [UInt8]
    let reading: ChangeReading

    /// The number of the transaction.
    public var id: TransactionID { info.id }

    /// The names of the types that the transaction mentions, in the order in which it does.
    ///
    /// - Complexity: linear in the number of entities that it mentions.
    public func types() throws -> [String] {
        try withView { view in
            var names: [String] = []
            for entity in view.entities {
                guard let name = reading.catalog.definition(of: entity.type)?.name,
                    !names.contains(name)
                else { continue }
                names.append(name)
            }
            return names
        }
    }

    /// What the transaction did to entities of a type, in the order in which it did it.
    ///
    /// An insertion or a deletion carries the whole entity, an update the old and the new values of
    /// what changed. Whole entities on both sides of an update are in
    /// ``Store/context(asOf:)`` of this transaction and of the one before.
    ///
    /// - Complexity: linear in the size of the transaction.
    public func changes<Entity: EntityModelProtocol>(
        of type: Entity.Type
    ) throws -> [LoggedChange<Entity>] {
        guard let layout = try reading.layout(of: Entity._descriptor, in: info.id) else {
            return []
        }
        return try withView { view in
            var changes: [LoggedChange<Entity>] = []
            let decoding = ChangeDecoding<Entity>(view, layout, reading.catalog)
            var events = view.events
            while let event = try events.next() {
                try decoding.add(event, to: &changes)
            }
            return changes
        }
    }

    private func withView<Result>(_ body: (TransactionView) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes { bytes in
            do {
                return try body(try TransactionView(bytes))
            } catch let error as EventError {
                throw StoreError.inconsistent(transaction: info.id, reason: "\(error)")
            } catch let error as CodecError {
                throw StoreError.inconsistent(transaction: info.id, reason: "\(error)")
            }
        }
    }
}
