public import VarveEvents

// Rows that a log or a checkpoint had are kept as their bytes until a reader needs their addresses: of most
// none does, as long as they are only copied out, and bytes take a third of the memory that values take.

extension Table.Cell {
    @inlinable static var mayBePacked: Bool { true }

    @inlinable
    static func unpack(_ node: UnsafeRawPointer, into cells: UnsafeMutablePointer<Table.Cell>) {
        for position in 0..<PackedLeaf.width {
            make(at: position, of: node, in: cells + position)
        }
    }

    /// Makes a cell of a packed leaf in its place: one that is made elsewhere first is copied, and each of its
    /// references counted.
    @inlinable @inline(__always)
    static func make(
        at position: Int, of node: UnsafeRawPointer, in cell: UnsafeMutablePointer<Table.Cell>
    ) {
        guard !PackedLeaf.bytes(at: position, of: node).isEmpty else {
            return cell.initialize(to: absent)
        }
        let row = Table.packedRow(at: position, of: node)
        // Without `consume` it is copied.
        Table.rowPlace(in: cell).initialize(to: consume row)
        // Numbers: there is nothing before them that would have to go.
        cell.pointee.metadata = PackedLeaf.metadata(at: position, of: node)
    }
}

extension Table {
    /// The row at a place of a packed leaf that has one.
    ///
    /// What is packed was read when it was loaded, or written from a value by a type whose stored form can be read, and
    /// a type is packed only if reading it asks nothing but the bytes.
    @inlinable @inline(never)
    static func packedRow(at position: Int, of node: UnsafeRawPointer) -> Entity {
        let bytes = PackedLeaf.parts(at: position, of: node)
        return packedRow(withID: packedID(in: bytes.id), bytes.row)
    }

    /// The row at a place of a packed leaf, if it has the id.
    @inlinable
    static func packedRow(
        at position: Int, of node: UnsafeRawPointer, withID id: Entity.ID
    ) -> Entity? {
        let bytes = PackedLeaf.parts(at: position, of: node)
        if Entity.ID.self == String.self {
            return packedID(in: bytes.id, is: id) ? packedRow(withID: id, bytes.row) : nil
        }
        // An id of another type may be more than its bytes.
        let stored = packedID(in: bytes.id)
        return Entity._sameID(stored, id) ? packedRow(withID: stored, bytes.row) : nil
    }

    @inlinable @inline(__always)
    static func packedRow(withID id: Entity.ID, _ bytes: UnsafeRawBufferPointer) -> Entity {
        var reader = ByteReader(bytes)
        return Entity(_id: id, rereading: &reader)
    }

    // No closure that tries: what it returns would be copied, and counted.
    @inlinable @inline(__always)
    static func packedID(in bytes: UnsafeRawBufferPointer) -> Entity.ID {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            return try Entity._loadID(from: &reader)
        } catch {
            _FieldCodec.cannotReadAgain(Entity.self, error)
        }
    }

    /// Whether an id has the bytes of a packed one.
    @inlinable
    static func packedID(in bytes: UnsafeRawBufferPointer, is id: Entity.ID) -> Bool {
        // Nothing is made of the bytes. The comparison of types folds away, the cast is from a type to itself.
        if Entity.ID.self == String.self {
            return StoredText.isText(unsafeBitCast(id, to: String.self), in: bytes)
        }
        return Entity._sameID(packedID(in: bytes), id)
    }
}
