package import VarveEvents

// How rows are written for the log, and changed as a log says.

extension AnyTable {
    /// Writes the row at a slot, if there is one.
    package final func storeRow(
        at slot: Slot, into writer: inout ByteWriter
    ) throws(CodecError) {
        try withRawRow(at: slot, isOnce: true) { row in
            Result { () throws(CodecError) in try cellOperations.store(row, &writer) }
        }?.get()
    }

    /// Writes a before-row of the journal.
    package final func storeBefore(
        _ before: Int32, into writer: inout ByteWriter
    ) throws(CodecError) {
        var result: Result<Void, CodecError> = .success(())
        descriptor.operations.withBefore(self, before) { row in
            result = Result { () throws(CodecError) in try cellOperations.store(row, &writer) }
        }
        try result.get()
    }

    /// Compares a before-row with the row at a slot, if there is one, field by field.
    package final func compare(
        _ before: Int32, withRowAt slot: Slot, into changes: inout FieldChanges
    ) throws(CodecError) {
        guard let row = rawRow(at: slot) else { return }
        var result: Result<Void, CodecError> = .success(())
        descriptor.operations.withBefore(self, before) { old in
            result = Result { () throws(CodecError) in
                try cellOperations.compare(old, row, &changes)
            }
        }
        try result.get()
    }

    /// Changes the row at a slot in place, if there is one, outside any journal: for rows being loaded.
    package final func amendRow(
        at slot: Slot, _ body: (UnsafeMutableRawPointer) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard isLive(slot) else { return }
        try body(mutableCell(at: slot))
    }
}
