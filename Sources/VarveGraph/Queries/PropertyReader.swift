/// Reads one property of a row: a load where the property is stored, its getter otherwise.
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
    func callAsFunction(_ row: UnsafePointer<Entity>) -> Value {
        offset >= 0
            ? (UnsafeRawPointer(row) + offset).assumingMemoryBound(to: Value.self).pointee
            : readThroughPath(row)
    }

    /// Apart, so that the load beside it needs no frame on the stack.
    @inlinable @inline(never)
    func readThroughPath(_ row: UnsafePointer<Entity>) -> Value { row.pointee[keyPath: path.raw] }
}
