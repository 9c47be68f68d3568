public import VarveEvents

/// A plain struct that a ``Context`` keeps, by its id, in a normalized graph.
///
/// Conform with `@EntityModel`, which generates the underscored requirements and ``patch``. The
/// hooks and merge strategies have defaults and are yours to write.
public protocol EntityModelProtocol: Sendable, Identifiable, CustomDebugStringConvertible
where ID: Sendable {
    /// Runs on the copy that is about to be saved; what it changes is what is saved.
    mutating func willSave(to context: inout Context) throws
    /// Runs after the entity, its related entities and its links are in the context.
    func didSave(to context: inout Context) throws
    /// Runs before ``didSave(to:)``, where the save has put an entity into the context that was not there.
    func didCreate(in context: inout Context) throws
    /// Runs before ``didSave(to:)``, where the context had the entity before the save, whether or not a property has
    /// another value now. ``willSave(to:)`` can still find what was stored.
    func didUpdate(in context: inout Context) throws
    /// Runs while the entity is still in the context.
    func willDelete(from context: inout Context) throws
    /// Runs after the entity, and what its delete rules took with it, are gone.
    func didDelete(from context: inout Context) throws
    /// Runs when the entity and its links are in the context, before ``didSave(to:)``: to keep what
    /// the application wants to know about a save. When it was is kept by the context itself.
    func saveMetadata(to context: inout Context) throws
    /// Runs when the entity is gone, before ``didDelete(from:)``, to remove what
    /// ``saveMetadata(to:)`` kept.
    func deleteMetadata(from context: inout Context) throws
    /// What remains of the entity when it is deleted; nil leaves nothing to restore.
    func asDeleted(in context: Context) -> Deleted<Self>?

    /// How a save without options merges with the stored value. Default: it replaces.
    static var defaultMergeStrategy: MergeStrategy<Self> { get }
    /// How a save with `.fragment` merges with the stored value. Default: ``patch``.
    static var fragmentMergeStrategy: MergeStrategy<Self> { get }
    /// Every optional property keeps its stored value where the new one is nil.
    static var patch: MergeStrategy<Self> { get }

    /// What a depth list such as `.with(.entities, .ids)` adds to a query of this type. Default:
    /// every relation, as the first level says, with the others inside.
    static func nestedQueryModifier(
        _ query: Query<Self>, in context: Context, nested: [Nested]
    ) -> Query<Self>

    static var _descriptor: EntityDescriptor { get }
    static func _describe(_ description: inout EntityDescription<Self>)
    func _store(into writer: inout ByteWriter) throws(CodecError)
    init(_id id: ID, from reader: inout ByteReader) throws(CodecError)
    init(_id id: ID, rereading reader: inout ByteReader)
    static func _changes(
        from old: Self, to new: Self, into changes: inout FieldChanges
    ) throws(CodecError)
    static func _storeID(_ id: ID, into writer: inout ByteWriter) throws(CodecError)
    static func _loadID(from reader: inout ByteReader) throws(CodecError) -> ID
    static func _sameID(_ first: ID, _ second: ID) -> Bool
    static func _hashID(_ id: ID) -> UInt64
    mutating func _normalize()
    func _saveRelations(to context: inout Context, at slot: Slot) throws
    init(_patching old: Self, with new: Self)
    static func _place(of id: ID, in context: inout Context) -> UInt64?
    static func _assignID(to entity: inout Self, in context: inout Context) throws
    static func _delete(_ row: Self, at slot: Slot, in context: inout Context) throws
    static func _clearTombstone(of id: ID, in table: Int, of context: inout Context)
}

extension EntityModelProtocol {
    /// Does nothing.
    @inlinable public mutating func willSave(to context: inout Context) throws {}
    /// Does nothing.
    @inlinable public func didSave(to context: inout Context) throws {}
    /// Does nothing.
    public func didCreate(in context: inout Context) throws {}
    /// Does nothing.
    public func didUpdate(in context: inout Context) throws {}
    /// Does nothing.
    @inlinable public func willDelete(from context: inout Context) throws {}
    /// Does nothing.
    @inlinable public func didDelete(from context: inout Context) throws {}
    /// Does nothing.
    @inlinable public func saveMetadata(to context: inout Context) throws {}
    /// Does nothing.
    @inlinable public func deleteMetadata(from context: inout Context) throws {}

    /// The new value replaces the stored one.
    @inlinable public static var defaultMergeStrategy: MergeStrategy<Self> { .replace }
    /// Optional properties that are nil keep their stored values.
    @inlinable public static var fragmentMergeStrategy: MergeStrategy<Self> { Self.patch }

    /// The place in the order that a new entity takes; nil for the one it had, or the last.
    @inlinable
    public static func _place(of id: ID, in context: inout Context) -> UInt64? { nil }

    /// Leaves an entity the id that it has.
    @inlinable
    public static func _assignID(to entity: inout Self, in context: inout Context) throws {}

    /// Runs `willDelete`, removes the row and leaves the tombstone.
    @inlinable
    public static func _delete(_ row: Self, at slot: Slot, in context: inout Context) throws {
        let tombstone = row.asDeleted(in: context)
        precondition(
            tombstone.map { Self._sameID($0.id, row.id) } ?? true,
            "asDeleted must keep the entity's id")
        try context.announceDeletion(of: row, at: slot)
        let position = context.position(of: _descriptor)
        context.removeRow(at: slot, in: position, keepsPlace: tombstone != nil)
        guard let tombstone else { return }
        withUnsafePointer(to: tombstone.entity) {
            context.keepTombstone($0, of: slot, table: position)
        }
    }

    /// Removes the tombstone of an entity that is about to be live. `table` is the position of the entity's table.
    @inlinable
    public static func _clearTombstone(of id: ID, in table: Int, of context: inout Context) {
        context.clearTombstone(of: Self.self, id: id, table: table)
    }

    /// The entity whose bytes were read before, or written by `_store(into:)`: bytes of which the throwing initializer
    /// makes nothing trap here.
    @inlinable
    public init(_id id: ID, rereading reader: inout ByteReader) {
        do throws(CodecError) {
            try self.init(_id: id, from: &reader)
        } catch {
            _FieldCodec.cannotReadAgain(Self.self, error)
        }
    }

    /// The entity with the ids of everything it is linked to.
    public func asDeleted(in context: Context) -> Deleted<Self>? {
        Deleted(context._withRelatedIDs(self))
    }

    package static var _tombstoneDescriptor: EntityDescriptor { Deleted<Self>._descriptor }

    /// Runs the hooks behind a save. Inlined into the save of each entity, as the save itself is.
    @inlinable
    func runHooks(behindSaveTo context: inout Context, isNew: Bool) throws {
        try saveMetadata(to: &context)
        if isNew { try didCreate(in: &context) } else { try didUpdate(in: &context) }
        try didSave(to: &context)
    }

    /// A copy without any loaded relation: what a row of the context holds.
    @inlinable
    public func normalized() -> Self {
        var copy = self
        copy._normalize()
        return copy
    }

    /// Removes every loaded relation: what a row of the context holds.
    @inlinable
    public mutating func normalize() { _normalize() }
}
