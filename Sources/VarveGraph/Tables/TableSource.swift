public import Synchronization
package import VarveEvents

/// Where the rows of a table come from that is filled when it is first read or changed.
///
/// Any number of threads may ask at once. What a source reads stays as it is, whatever becomes of the store.
package protocol TableSource: AnyObject, Sendable {
    /// Fills a table, unless that was done; returns when it is full. Ends the process with a message where what was
    /// stored cannot be read: a read of a context cannot throw.
    func fill(_ table: AnyTable)

    /// Fills a table, unless that was done, before it is read. Where that goes wrong, reading it tries again.
    func fillAhead(_ table: AnyTable)

    /// The name of the file that the table is filled from; nil where that is no file, or was done.
    var file: String? { get }

    /// Why the last attempt to fill the table went wrong; nil where there was none, or it is filled.
    var failure: (any Error)? { get }

    /// Reads one entity of a table that is not filled yet.
    ///
    /// - Parameters:
    ///   - id: the bytes of the entity's id.
    ///   - body: called with the entity, where there is one. The bytes are valid during the call.
    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence
}

/// What a source knows of an entity by its id alone.
package enum StoredPresence: Sendable {
    /// It has been read.
    case present
    case absent
    /// Only the filled table knows.
    case unknown
}

extension AnyTable {
    /// Whether the rows, ids, links and indexes are there.
    @inlinable @inline(__always)
    package final var isFilled: Bool { fillState.load(ordering: .acquiring) }

    /// Waits until the table is filled, which this thread does if no other has begun to.
    @usableFromInline
    package final func ensureFilled() {
        if isFilled { return }
        source?.fill(self)
        precondition(isFilled, "a table is filled by its source")
    }

    /// Fills the table before anything reads it.
    package final func fillAhead() { source?.fillAhead(self) }

    /// The name of the file that a table which is not filled is filled from; nil for none.
    package final var sourceFile: String? { isFilled ? nil : source?.file }

    /// Why a table that is not filled could not be.
    package final var fillFailure: (any Error)? { isFilled ? nil : source?.failure }

    /// Leaves a table, which is empty and not shared yet, to a source.
    package final func wait(for source: any TableSource) {
        self.source = source
        fillState.store(false, ordering: .relaxed)
    }

    /// Called by the source when everything is there.
    package final func didFill() { fillState.store(true, ordering: .releasing) }

    /// Calls `body` with the address of a row, which is good for the call alone, of a table that is not filled.
    ///
    /// - Parameter writeID: writes the id.
    final func readStored(
        _ writeID: (inout ByteWriter) throws(CodecError) -> Void,
        _ body: (UnsafeRawPointer) -> Void
    ) -> StoredPresence {
        do throws(CodecError) {
            var id = ByteWriter()
            try writeID(&id)
            return try id.withBytes { id throws(CodecError) in
                try source?.read(id: id) { entity throws(CodecError) in
                    try descriptor.operations.decode(entity) { row, _ in body(row) }
                } ?? .unknown
            }
        } catch {
            // To fill the table says which entity it is that cannot be read.
            return .unknown
        }
    }
}

/// The tables of a context by position. The subscript fills a table before it returns it: its caller is about to read or
/// change it.
@usableFromInline
package struct ContextTables {
    /// The tables as they are: for what is the same whether they are filled or not.
    @usableFromInline package var unfilled: ContiguousArray<AnyTable>

    init(_ tables: ContiguousArray<AnyTable> = []) { unfilled = tables }

    package var count: Int { unfilled.count }
    package var indices: Range<Int> { unfilled.indices }

    @usableFromInline
    package subscript(position: Int) -> AnyTable {
        let table = unfilled[position]
        table.ensureFilled()
        return table
    }
}
