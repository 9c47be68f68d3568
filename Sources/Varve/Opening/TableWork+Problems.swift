internal import VarveEvents
internal import VarveGraph

// Which entity it is that cannot be read.
extension TableWork {
    /// - Parameter slots: those that `body` reads and whose rows are still in memory. Rows of a checkpoint are released
    ///   as they are read.
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
        var reader = replayed.reader(of: definition.number, as: definition)
        for slot in slots {
            guard let problem = problem(at: slot, &reader) else { continue }
            return .unreadable(
                UnreadableValue(type: definition.name, id: idText(of: slot), problem))
        }
        return .unreadable(UnreadableValue(type: definition.name, id: "", error))
    }

    /// Why the id or the row at a slot cannot be read.
    private func problem(at slot: UInt32, _ reader: inout EntityReader?) -> CodecError? {
        let operations = table.descriptor.operations
        let idProblem = replayed.withID(of: definition.number, at: slot) { id -> CodecError? in
            do throws(CodecError) {
                _ = try operations.find(table, id)
                return nil
            } catch {
                return error
            }
        }
        if let idProblem = idProblem ?? nil { return idProblem }
        do throws(CodecError) {
            return try reader?.read(slot) { table.descriptor.problem(inRow: $0.row) } ?? nil
        } catch {
            return error
        }
    }

    private func idText(of slot: UInt32) -> String {
        replayed.withID(of: definition.number, at: slot) { definition.idType.text(of: $0) } ?? ""
    }
}
