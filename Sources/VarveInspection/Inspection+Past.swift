internal import VarveEvents
internal import VarveLog
internal import VarveTables

extension Inspection {
    /// Goes back to the state behind an earlier transaction: entities are then those of that time.
    /// It is not possible to go forward again.
    public func goBack(to id: TransactionID) throws(InspectionError) {
        try reading { state throws(InspectionError) in
            let now = shownTransaction ?? state.lastTransaction
            let floor = TransactionID(
                max(firstTransaction.rawValue, state.timeline.forgotten.rawValue + 1))
            guard id <= now, id.isReachable(from: floor) else {
                throw .noSuchTransaction(id, first: floor, last: now)
            }
            guard id < now else { return shownTransaction = id }
            replayed = try state.changed { transaction throws(InspectionError) in
                let reversal = Reversal(
                    StateDraft(lookingBackIn: transaction), .past, catalog: state.catalog,
                    running: 0)
                for number in ((id.rawValue + 1)...now.rawValue).reversed() {
                    try with(TransactionID(number)) { view throws(InspectionError) in
                        do throws(ReversalError) {
                            try reversal.takeBack(view)
                        } catch {
                            throw .revision(
                                reason: "transaction \(view.id) cannot be undone: \(error)")
                        }
                    }
                }
            }
            shownTransaction = id
        }
    }

    /// Goes back to the state behind a transaction, or to the state at a moment: that behind the last
    /// transaction that was written by then.
    public func goBack(to bound: TransactionFilter.Bound) throws(InspectionError) {
        try goBack(to: transaction(behind: bound))
    }

    /// Lets the body look at one transaction.
    func with(
        _ id: TransactionID, _ body: (TransactionView) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        do throws(ReplayFailure<InspectionError>) {
            try reader.withTransaction(LogSequence(id.rawValue)) {
                logged throws(InspectionError) in
                try body(try TransactionView(of: logged))
            }
        } catch {
            throw error.inspectionError
        }
    }

    /// The number of a type, the encoded id and the deletion of an entity that has a tombstone.
    static func tombstone(
        of type: String, id: String, in state: State
    ) throws(InspectionError) -> (TypeNumber, [UInt8], TransactionID) {
        guard let definition = state.catalog.definition(named: type) else {
            throw .noSuchType(name: type, known: state.catalog.definitions.map(\.name))
        }
        let found = try place(of: definition, id: id, in: state)
        guard let found, let entity = try describe(definition, at: found.slot, in: state),
            entity.isDeleted
        else { throw .noSuchTombstone(type: type, id: id, isLive: found != nil) }
        return (definition.number, found.id, entity.transaction)
    }

    static func describe(
        _ definition: TypeDefinition, at slot: Slot, in state: State
    ) throws(InspectionError) -> DescribedEntity? {
        do throws(CodecError) {
            return try state.describe(definition.number, at: slot)
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }

    /// The slot and the encoded id of what a person calls `text`, if it was ever mentioned.
    static func place(
        of definition: TypeDefinition, id text: String, in state: State
    ) throws(InspectionError) -> (slot: Slot, id: [UInt8])? {
        for id in Self.ids(writtenAs: text, definition.idType) {
            let slot = id.withUnsafeBytes { state.slot(of: definition.number, id: $0) }
            if let slot { return (slot, id) }
        }
        if definition.idType.isWrittenOneWay { return nil }
        guard var entries = state.entries(of: definition.number) else { return nil }
        while let entry = entries.nextEntry() {
            do throws(CodecError) {
                let id = InspectedValue(try StoredValue(definition.idType, bytes: entry.id))
                if id.isWritten(text) { return (entry.slot, [UInt8](entry.id)) }
            } catch {
                throw .entity(type: definition.name, reason: "\(error)")
            }
        }
        return nil
    }

    /// The encoded ids that a person may mean, the likeliest first.
    private static func ids(writtenAs text: String, _ type: StoredType) -> [[UInt8]] {
        [JSONText.quoted(text), text].compactMap { json in
            do {
                let node = try JSONNode.parse(Array(json.utf8))
                let bytes = try ExchangedValue.bytes(of: node, as: type)
                let id = InspectedValue(try StoredValue(type, bytes: bytes))
                return id.isWritten(text) ? bytes : nil
            } catch {
                // What is no value of the type in this form may be one in the other.
                return nil
            }
        }
    }
}

extension StoredType {
    /// Whether ``Inspection/ids(writtenAs:_:)`` has every id that a text may mean.
    fileprivate var isWrittenOneWay: Bool {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .string,
            .uuid:
            true
        default: false
        }
    }
}
