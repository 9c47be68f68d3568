/// Names a relation that a condition must not read.
///
/// Rows hold no relations: links are stored beside them. A condition that read one would find it
/// empty in every row. Code of the application that may read anything, a computed property or a
/// closure, therefore reads a copy of the row whose relations are covered.
@usableFromInline
final class RelationCover: Sendable {
    let name: String

    init(_ name: String) { self.name = name }

    /// Stops the program, in release builds with the message too.
    @usableFromInline
    func refuse() -> Never {
        fatalError(
            """
            a condition, an order, an index or a projection reads the relation \(name), and rows are \
            read without their relations: start from the other side and use related(_:), or keep \
            what is asked for in a stored property
            """)
    }
}

/// What covers the relations of the rows of one type.
@usableFromInline
final class RowCover: Sendable {
    /// Unmanaged: the descriptor keeps the objects.
    private let contents: ContiguousArray<(offset: Int, content: UInt)>
    private let relations: [RelationDescription]
    /// For tombstones, the type of the entity inside, whose relations are ids.
    private let owner: (any EntityModelProtocol.Type)?

    /// Nil where there is nothing to cover.
    init?(_ relations: [RelationDescription], tombstoneOwner: (any EntityModelProtocol.Type)?) {
        guard !relations.isEmpty else { return nil }
        self.relations = relations
        owner = tombstoneOwner
        contents = ContiguousArray(
            relations.map { relation in
                let address = Unmanaged.passUnretained(relation.cover).toOpaque()
                return (relation.offset, UInt(bitPattern: address))
            })
    }

    /// Covers the relations of a copied row. The bytes belong to the row, which outlives them.
    ///
    /// - Returns: what must live as long as the copy is read.
    private func cover(_ row: UnsafeMutableRawPointer) -> [AnyObject] {
        guard owner == nil else {
            return relations.compactMap { $0.coverEntities(row + $0.offset) }
        }
        for (offset, content) in contents {
            row.storeBytes(of: content, toByteOffset: offset, as: UInt.self)
        }
        return []
    }

    /// Gives the relations of an entity that was read of a covered row what the row holds of them.
    func uncover(_ entity: UnsafeMutableRawPointer) {
        for relation in relations { relation.uncover(entity + relation.offset) }
    }

    /// Calls `body` with a copy of the row in which no relation can be read.
    ///
    /// The copy is one of bytes: nothing is retained, and the row is not changed meanwhile.
    func withRow<Entity, Result>(
        _ row: UnsafeRawPointer, of type: Entity.Type, _ body: (UnsafePointer<Entity>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(
            byteCount: MemoryLayout<Entity>.size, alignment: MemoryLayout<Entity>.alignment
        ) { copy in
            copy.copyMemory(
                from: UnsafeRawBufferPointer(start: row, count: MemoryLayout<Entity>.size))
            guard let base = copy.baseAddress else { preconditionFailure("a row without bytes") }
            return withExtendedLifetime(cover(base)) {
                body(UnsafePointer(base.assumingMemoryBound(to: Entity.self)))
            }
        }
    }

    /// Reads a property that is not simply stored, such as a computed one, of a row.
    @usableFromInline
    func read<Entity, Value>(
        _ path: KeyPath<Entity, Value>, ofRow row: UnsafeRawPointer
    ) -> Value {
        // The whole entity of a tombstone, whose relations are ids.
        if let owner, owner == Value.self {
            return row.assumingMemoryBound(to: Entity.self).pointee[keyPath: path]
        }
        return withRow(row, of: Entity.self) { $0.pointee[keyPath: path] }
    }
}

extension EntityModelProtocol {
    /// Reads a property that is not simply stored, such as a computed one, of a row.
    static func _read<Value>(_ path: KeyPath<Self, Value>, ofRow row: UnsafeRawPointer) -> Value {
        guard let cover = _descriptor.cover else {
            return row.assumingMemoryBound(to: Self.self).pointee[keyPath: path]
        }
        return cover.read(path, ofRow: row)
    }

    /// Reads a property of an entity as a condition does, whatever the entity has loaded.
    package static func _read<Value>(_ path: KeyPath<Self, Value>, of entity: Self) -> Value {
        withUnsafePointer(to: entity) { _read(path, ofRow: $0) }
    }

    /// Reads a property of an entity to show it: the entity itself comes as it is.
    package static func _select<Value>(_ path: KeyPath<Self, Value>, of entity: Self) -> Value {
        Value.self == Self.self ? entity[keyPath: path] : _read(path, of: entity)
    }

    /// Calls `body` with a copy of the row in which no relation can be read.
    static func _withCoveredRow<Result>(
        _ row: UnsafeRawPointer, _ body: (UnsafePointer<Self>) -> Result
    ) -> Result {
        guard let cover = _descriptor.cover else {
            return body(row.assumingMemoryBound(to: Self.self))
        }
        return cover.withRow(row, of: Self.self, body)
    }

    /// A value that was read of a row, as queries give it: an entity without relations, a tombstone with their ids.
    @inlinable
    package static func _presented<Value>(_ value: Value) -> Value {
        _isPresented(Value.self) ? _uncovered(value) : value
    }

    /// Whether values of a type may be entities that were read of a covered row.
    @inlinable
    package static func _isPresented<Value>(_ type: Value.Type) -> Bool {
        type == Self.self || type == Self?.self
    }

    @usableFromInline
    static func _uncovered<Value>(_ value: Value) -> Value {
        guard let cover = _descriptor.cover, var entity = value as? Self else { return value }
        withUnsafeMutableBytes(of: &entity) { bytes in
            if let base = bytes.baseAddress { cover.uncover(base) }
        }
        guard let presented = entity as? Value else {
            preconditionFailure("an entity that is none of its type")
        }
        return presented
    }

    /// Refuses a path that leads to nothing but a relation.
    @usableFromInline
    package static func _refuseRelation(_ path: PartialKeyPath<Self>) {
        if let relation = _descriptor.relations.first(where: { $0.path.raw == path }) {
            relation.refuse()
        }
    }
}
