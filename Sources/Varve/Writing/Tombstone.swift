internal import VarveEvents
internal import VarveGraph

/// A tombstone in its table.
struct Tombstone {
    let position: Int
    let table: AnyTable
    let slot: Slot
    /// The type that the tombstone is of.
    let owner: EntityDescriptor
    /// Where it is among the table's before-rows, for what it was before the transaction.
    var before: Int32?

    func storeRow(into writer: inout ByteWriter) throws(CodecError) {
        if let before {
            return try table.storeBefore(before, into: &writer)
        }
        try table.storeRow(at: slot, into: &writer)
    }

    /// Hands the body the bytes of each id that the tombstone holds of one relation.
    func forEachID(
        of relation: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(CodecError) {
        let relation = owner.relations[relation]
        var failure: CodecError?
        // A tombstone is nothing but its entity, which so stands at the same address.
        func read(_ address: UnsafeRawPointer) {
            do throws(CodecError) {
                try relation.storeIDs(address + relation.offset, body)
            } catch {
                failure = error
            }
        }
        if let before {
            table.descriptor.operations.withBefore(table, before, read)
        } else {
            table.withRow(at: slot) { $0.map(read) }
        }
        if let failure { throw failure }
    }

    /// The ids of all relations of the tombstone, as it is or as it was before the transaction.
    private func allIDs(before: Int32?) throws(CodecError) -> [[[UInt8]]] {
        var ids: [[[UInt8]]] = []
        var failure: CodecError?
        func read(_ address: UnsafeRawPointer) {
            do throws(CodecError) {
                for relation in owner.relations {
                    var list: [[UInt8]] = []
                    try relation.storeIDs(address + relation.offset) { list.append(Array($0)) }
                    ids.append(list)
                }
            } catch {
                failure = error
            }
        }
        if let before {
            table.descriptor.operations.withBefore(table, before, read)
        } else {
            table.withRow(at: slot) { $0.map(read) }
        }
        if let failure { throw failure }
        return ids
    }

    /// The tombstone's stamps and place before the transaction, if that touched it.
    var formerMetadata: RowMetadata? {
        table.firstChange(of: slot)?.metadata
    }

    /// Whether the transaction changed the tombstone: its row, or the ids that it keeps.
    func isChanged() throws(CodecError) -> Bool {
        guard let first = table.firstChange(of: slot) else { return false }
        guard first.before >= 0 else { return true }
        var changes = FieldChanges()
        try table.compare(first.before, withRowAt: slot, into: &changes)
        if !changes.isEmpty { return true }
        return try allIDs(before: first.before) != allIDs(before: nil)
    }
}
