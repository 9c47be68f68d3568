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
        let bytes = PackedLeaf.bytes(at: position, of: node)
        guard !bytes.isEmpty else { return absent }
        return Table.Cell(
            row: Table.row(in: bytes),
            metadata: PackedLeaf.metadata(at: position, of: node))
    }
}

extension Table {
    // MARK: - Reading what is packed

    /// The row that an id and a row encoded behind it are. They were read once when they were packed.
    @inlinable
    static func row(in bytes: UnsafeRawBufferPointer) -> Entity {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            let id = try Entity._loadID(from: &reader)
            return try Entity(_id: consume id, from: &reader)
        } catch {
            preconditionFailure("a row of \(Entity.self) that cannot be read twice: \(error)")
        }
    }

    @inlinable
    static func id(in bytes: UnsafeRawBufferPointer) -> Entity.ID {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            return try Entity._loadID(from: &reader)
        } catch {
            preconditionFailure("an id of \(Entity.self) that cannot be read twice: \(error)")
        }
    }

    /// The row in a packed leaf if it has an id.
    @inlinable
    static func row(in bytes: UnsafeRawBufferPointer, withID id: Entity.ID) -> Entity? {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            let stored = try Entity._loadID(from: &reader)
            guard Entity._sameID(stored, id) else { return nil }
            return try Entity(_id: consume stored, from: &reader)
        } catch {
            preconditionFailure("a row of \(Entity.self) that cannot be read twice: \(error)")
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
            count: entities.count, byteCount: { entities[$0].byteCount },
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
