package import VarveEvents

/// Where a table comes from that an opening leaves to be read later.
///
/// Any number of threads may call it at once. What a source reads stays as it is, whatever becomes of the store.
package protocol TableSource: AnyObject, Sendable {
    /// Whether a table loads its rows, ids and lists of links one leaf at a time. One that does not is filled when it
    /// is first read.
    var loadsLeaves: Bool { get }

    /// An empty table of the type, with the positions of other tables that the filled one has.
    var kind: AnyTable { get }

    /// Memory for the filled table; nil where it does not fit the memory budget.
    var reservation: (any MemoryReservation)? { get }

    /// The table with everything, filled now unless that was done. Ends the process with a message where what was
    /// stored cannot be read: a read of a context cannot throw.
    func filled() -> AnyTable

    /// The table with everything if it is there.
    var filledIfThere: AnyTable? { get }

    /// Whether leaves and entities were loaded so often that filling the table costs no more than the next ones.
    var isWorthFilling: Bool { get }

    /// Fills the table, unless that was done, before it is read. Where that goes wrong, reading it tries again.
    func fillAhead()

    /// The name of the file that the table is read from; nil where that is no file, or was done.
    var file: String? { get }

    /// Why the last attempt to fill the table went wrong; nil where there was none, or it is filled.
    var failure: (any Error)? { get }

    /// Reads one entity.
    ///
    /// - Parameters:
    ///   - id: the bytes of the entity's id.
    ///   - body: called with the entity, where there is one. The bytes are valid during the call.
    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence

    /// The slot of an id, whether it has a row or not.
    func slot(ofID id: UnsafeRawBufferPointer) -> StoredSlot

    /// Appends the id of a slot that the source knows. Returns false, and appends nothing, where only the filled table has
    /// it.
    func writeID(ofSlot slot: UInt32, into writer: inout ByteWriter) -> Bool

    /// The fields of an index that is stored, so that entities are found by it without the filled table; nil for any other.
    func storedFields(ofIndex index: Int) -> [StoredIndexField]?

    /// Whether no two rows, as they are stored, have the same values in a stored index. False also where that is not known yet:
    /// it is looked for once this was asked often enough.
    func hasDistinctValues(ofIndex index: Int) -> Bool

    /// Calls `body` with the slots of all rows that, as they are stored, lie within bounds of a stored index, in its order or
    /// against it, until it returns false. There may be others among them: rows are to be tested.
    ///
    /// - Parameter body: is handed whether the key is another one than that before.
    /// - Returns: false where only the filled table knows; what `body` was called with is of no use then.
    func forEachSlot(
        ofIndex index: Int, in bounds: FieldBounds, isReversed: Bool,
        while body: (_ slot: UInt32, _ isNewKey: Bool) -> Bool
    ) -> Bool
}

extension TableSource {
    /// Whether the filled table fits the memory that the store may take.
    package var mayFill: Bool { reservation != nil }
}

/// Memory that a store counts for a filled table, for as long as anything refers to it.
package protocol MemoryReservation: AnyObject, Sendable {
    /// Reserves memory for a table that has so many slots by now. Returns false where that does not fit.
    func grow(toSlots count: Int) -> Bool
}

/// What a source knows of an entity by its id alone.
package enum StoredPresence: Sendable {
    /// It has been read.
    case present
    case absent
    /// Only the filled table knows.
    case unknown
}

/// What a source knows of an id.
package enum StoredSlot: Sendable {
    case known(UInt32)
    case absent
    /// Only the filled table knows.
    case unknown
}

/// The tables of a context by position. The subscript returns a filled table, or a stored one that is scanned
/// (``AnyTable/isScanned``).
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
        return table.isFilled ? table : table.whole()
    }

    /// The filled table, if it is there; else the one that waits for it.
    @usableFromInline
    subscript(present position: Int) -> AnyTable {
        let table = unfilled[position]
        return table.isFilled ? table : table.filledIfThere ?? table
    }

    /// A table in which the values of unique indexes are looked for: a stored table, where all of these are stored.
    subscript(values position: Int) -> AnyTable {
        let table = unfilled[position]
        return table.isFilled ? table : table.searchable()
    }

    /// A table of which slots, ids, rows and links are read, each by itself. It may have neither indexes nor the order of
    /// its rows, and a scan of all rows loads each leaf.
    @usableFromInline
    package subscript(rows position: Int) -> AnyTable {
        let table = unfilled[position]
        return table.isFilled ? table : table.readable()
    }
}
