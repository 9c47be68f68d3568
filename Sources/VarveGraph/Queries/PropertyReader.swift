/// Reads one property of a row: a load where the property is stored, its getter otherwise.
///
/// A row comes as a plain address, so that what is made of readers need not know the type.
@usableFromInline
struct PropertyReader<Entity, Value>: Sendable {
    @usableFromInline let path: SendableReadPath<Entity, Value>
    /// The property's place inside a row, or -1 where it has none.
    @usableFromInline let offset: Int

    @inlinable
    init(_ path: KeyPath<Entity, Value>) {
        self.path = SendableReadPath(path)
        self.offset = MemoryLayout<Entity>.offset(of: path) ?? -1
    }

    @inlinable
    func callAsFunction(_ row: UnsafeRawPointer) -> Value {
        offset >= 0
            ? (row + offset).assumingMemoryBound(to: Value.self).pointee
            : readThroughPath(row.assumingMemoryBound(to: Entity.self))
    }

    /// Apart, so that the load beside it needs no frame on the stack.
    @inlinable @inline(never)
    func readThroughPath(_ row: UnsafePointer<Entity>) -> Value { row.pointee[keyPath: path.raw] }
}
