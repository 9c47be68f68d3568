/// Reads one property of a row: a load where the property is stored, its getter otherwise.
///
/// A row comes as a plain address, so that what is made of readers need not know the type. A getter
/// may read anything: it sees a copy of the row whose relations are covered.
@usableFromInline
struct PropertyReader<Entity: EntityModelProtocol, Value>: Sendable {
    @usableFromInline let path: SendableReadPath<Entity, Value>
    /// The property's place inside a row, or -1 where it has none.
    @usableFromInline let offset: Int

    @inlinable
    init(_ path: KeyPath<Entity, Value>) {
        self.path = SendableReadPath(path)
        // What compares or hashes whole entities may read their relations.
        self.offset =
            Value.self == Entity.self ? -1 : MemoryLayout<Entity>.offset(of: path) ?? -1
    }

    /// For a property that is what a query resolves to: whole entities come without relations, as from any query.
    @inlinable
    init(selecting path: KeyPath<Entity, Value>) {
        self.path = SendableReadPath(path)
        offset = MemoryLayout<Entity>.offset(of: path) ?? -1
        if offset < 0 { Entity._refuseRelation(path) }
    }

    @inlinable
    func callAsFunction(_ row: UnsafeRawPointer) -> Value {
        offset >= 0
            ? (row + offset).assumingMemoryBound(to: Value.self).pointee : readThroughPath(row)
    }

    /// Apart, so that the load beside it needs no frame on the stack. A type without relations has nothing to hide
    /// from a getter.
    @inlinable @inline(never)
    func readThroughPath(_ row: UnsafeRawPointer) -> Value {
        // Asked for at each row: where an index is declared, the descriptor is still being made.
        guard let cover = Entity._descriptor.cover else {
            return row.assumingMemoryBound(to: Entity.self).pointee[keyPath: path.raw]
        }
        return cover.read(path.raw, ofRow: row)
    }

    /// The value as a query gives it.
    @inlinable
    func presented(_ row: UnsafeRawPointer) -> Value { Entity._presented(self(row)) }
}
