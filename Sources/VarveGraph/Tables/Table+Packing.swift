public import VarveEvents

// Rows that a log or a checkpoint had are kept as their bytes until somebody wants their address: most of them
// nobody does, as long as they are only copied out, and bytes take a third of the memory that values take.

extension Table.Cell {
    @inlinable static var mayBePacked: Bool { true }

    @inlinable
    static func unpack(_ node: UnsafeRawPointer, into cells: UnsafeMutablePointer<Table.Cell>) {
        for position in 0..<PackedLeaf.width {
            (cells + position).initialize(to: cell(at: position, of: node))
        }
    }

    /// A cell of a packed leaf, as a value.
    @inlinable
    static func cell(at position: Int, of node: UnsafeRawPointer) -> Table.Cell {
        guard !PackedLeaf.bytes(at: position, of: node).isEmpty else { return absent }
        return Table.Cell(
            row: Table.packedRow(at: position, of: node),
            metadata: PackedLeaf.metadata(at: position, of: node))
    }

    /// Where a cell of a leaf, packed or not, stands.
    @inlinable
    static func place(at position: Int, of node: UnsafeRawPointer) -> ElementPlace {
        PackedLeaf.isPacked(node)
            ? ElementPlace(packedIn: node, at: position)
            : ElementPlace(element: PagedLeaf<Table.Cell>.elements(of: node) + position)
    }
}

extension Table {
    // MARK: - Reading what is packed

    /// The row at a place of a packed leaf that has one.
    @inlinable
    static func packedRow(at position: Int, of node: UnsafeRawPointer) -> Entity {
        let bytes = PackedLeaf.parts(at: position, of: node)
        var reader = ByteReader(bytes.row)
        return readAgain { () throws(CodecError) in
            try Entity(_id: packedID(in: bytes.id), from: &reader)
        }
    }

    /// The same if the row has an id.
    @inlinable
    static func packedRow(
        at position: Int, of node: UnsafeRawPointer, withID id: Entity.ID
    ) -> Entity? {
        let bytes = PackedLeaf.parts(at: position, of: node)
        let stored = packedID(in: bytes.id)
        guard Entity._sameID(stored, id) else { return nil }
        var reader = ByteReader(bytes.row)
        return readAgain { () throws(CodecError) in
            try Entity(_id: stored, from: &reader)
        }
    }

    @inlinable
    static func packedID(in bytes: UnsafeRawBufferPointer) -> Entity.ID {
        var reader = ByteReader(bytes)
        return readAgain { () throws(CodecError) in try Entity._loadID(from: &reader) }
    }

    /// What is packed was read when it was loaded, and a type is packed only if reading it asks nothing but the bytes.
    @inlinable @inline(__always)
    static func readAgain<Value>(_ read: () throws(CodecError) -> Value) -> Value {
        do throws(CodecError) {
            return try read()
        } catch {
            preconditionFailure("a row of \(Entity.self) that cannot be read again: \(error)")
        }
    }

    // MARK: - Packing

    /// Whether the bytes of entities, at most as many as a leaf has, serve better than their values.
    @inlinable
    static func servesPacked(_ entities: UnsafeBufferPointer<LoadedEntity>) -> Bool {
        var total = 0
        for entity in entities {
            guard entity.byteCount > 0 else { return false }
            total += entity.byteCount
        }
        return total <= PackedLeaf.byteCountMax
    }

    /// A leaf of entities' bytes.
    @inlinable
    static func packed(_ entities: UnsafeBufferPointer<LoadedEntity>) -> PackedLeaf {
        PackedLeaf.make(
            count: entities.count,
            byteCounts: { (entities[$0].id.count, entities[$0].byteCount) },
            metadata: { entities[$0].metadata }
        ) { place in
            var place = place
            for entity in entities { entity.write(to: &place) }
        }
    }
}

extension LoadedEntity {
    @inlinable var byteCount: Int { id.count + row.count }

    /// Writes the id and the row behind it, and moves the place behind both.
    @inlinable
    func write(to place: inout UnsafeMutableRawPointer) {
        if let start = id.baseAddress { place.copyMemory(from: start, byteCount: id.count) }
        place += id.count
        if let start = row.baseAddress { place.copyMemory(from: start, byteCount: row.count) }
        place += row.count
    }
}
