internal import VarveEvents
internal import VarveGraph
internal import VarveTables

// Which entity it is that cannot be read.
extension TableWork {
    /// - Parameter slots: those that `body` reads.
    func named<Result>(
        _ slots: @autoclosure () -> some Sequence<UInt32>,
        _ body: () throws(CodecError) -> Result
    ) throws(StoreError) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw unreadable(error, among: slots())
        }
    }

    /// The error of rows or ids that could not be read, with the first of which that goes. O(n).
    private func unreadable(
        _ error: CodecError, among slots: some Sequence<UInt32>
    ) -> StoreError {
        var reader = state.reader(of: definition.number, as: definition)
        // The ids are looked up in a table without any: this one is loaded in part, and has slots without an id.
        let empty = table.makePart(at: 0)
        for slot in slots {
            guard let problem = problem(at: slot, &reader, empty) else { continue }
            return .unreadable(
                UnreadableValue(type: definition.name, id: idText(of: slot), problem))
        }
        return .unreadable(UnreadableValue(type: definition.name, id: "", error))
    }

    /// Why the id or the row at a slot cannot be read.
    private func problem(
        at slot: UInt32, _ reader: inout StateReader?, _ empty: AnyTable
    ) -> CodecError? {
        let operations = table.descriptor.operations
        do throws(CodecError) {
            if let id = id(of: definition.number, at: slot) { _ = try operations.find(empty, id) }
            return try reader?.read(.init(slot)) { content.descriptor.problem(inRow: $0.row) }
                ?? nil
        } catch {
            return error
        }
    }

    /// The bytes of the id at a slot: valid as long as the state is kept.
    func id(of type: TypeNumber, at slot: UInt32) -> UnsafeRawBufferPointer? {
        state.entry(of: type, at: .init(slot))?.id
    }

    private func idText(of slot: UInt32) -> String {
        id(of: definition.number, at: slot).map { definition.idType.text(of: $0) } ?? ""
    }
}
