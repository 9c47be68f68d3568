public import VarveEvents

/// What remains of a deleted entity: its value, with the ids of everything it was linked to.
///
/// A deletion leaves one, a save of the same id removes it, and it is queried like any entity:
/// `Deleted<Chat>.query("1").resolve(in: context)`.
public struct Deleted<Entity: EntityModelProtocol>: EntityModelProtocol {
    // The only stored property: a tombstone is laid out as its entity. So the code for the entity's rows works on its
    // table (see ``AnyTable/rows(of:)``), and conditions read the entity's properties in the row of the tombstone.
    /// The entity as it was, its relations as ids.
    public let entity: Entity

    /// The id of the deleted entity.
    public var id: Entity.ID { entity.id }

    /// The entity as it was, in `Deleted(…)`.
    public var debugDescription: String { "Deleted(\(entity.debugDescription))" }

    /// A tombstone of an entity: saving it deletes the entity.
    @inlinable
    public init(_ entity: Entity) { self.entity = entity }

    /// Saves the entity with its default strategy: it and its links come back, and this goes. What has
    /// been linked to it since it was deleted, as by the restoration of another entity, stays linked.
    @inlinable
    public func restore(in context: inout Context) throws {
        try context._withLinksSinceDeletion(entity).save(to: &context)
    }

    /// A tombstone in the context means that the entity is not: a live one is deleted first.
    public mutating func willSave(to context: inout Context) throws {
        try context._deleteLive(Entity.self, id: id)
        guard context.liveSlot(of: Entity.self, id: id) == nil else {
            throw ContextError.savedWhileDeleted(
                type: Entity._descriptor.name, id: String(describing: id))
        }
        var plain = entity
        withUnsafeMutableBytes(of: &plain) { bytes in
            guard let base = bytes.baseAddress else { return }
            for relation in Entity._descriptor.relations {
                relation.makePlain(base + relation.offset)
            }
        }
        self = Deleted(plain)
    }

    /// A tombstone stands in the trash where the entity stood in its type.
    public static func _place(of id: ID, in context: inout Context) -> UInt64? {
        context.setPlace(Entity.self, id: id, isKept: true)
    }

    /// With its tombstone an entity loses its place in the order of its type.
    public func didDelete(from context: inout Context) throws {
        _ = context.setPlace(Entity.self, id: id, isKept: false)
    }

    /// A tombstone leaves no tombstone of its own.
    public func asDeleted(in context: Context) -> Deleted<Deleted<Entity>>? { nil }

    /// Removes the row alone: there are no tombstones of tombstones.
    public static func _delete(_ row: Self, at slot: Slot, in context: inout Context) throws {
        try context.announceDeletion(of: row, at: slot)
        let position = context.position(of: _descriptor)
        context.removeRow(at: slot, in: position, keepsPlace: false)
    }

    public static func _clearTombstone(of id: ID, in table: Int, of context: inout Context) {}

    /// The new tombstone replaces the old one: there is nothing to patch.
    @inlinable public static var patch: MergeStrategy<Deleted<Entity>> { .replace }

    public static var _descriptor: EntityDescriptor {
        let owner = Entity._descriptor
        return owner.tombstones.descriptor {
            var description = ErasedDescription()
            description.id = owner.idKind
            return EntityDescriptor(
                Deleted<Entity>.self, name: "Deleted<\(owner.name)>", description: description,
                operations: owner.operations.ofTombstones(Deleted<Entity>.self),
                tombstoneOwner: Entity.self)
        }
    }

    public static func _describe(_ description: inout EntityDescription<Self>) {
        description.erased.id = Entity._descriptor.idKind
    }

    @inlinable
    public func _store(into writer: inout ByteWriter) throws(CodecError) {
        try entity._store(into: &writer)
    }

    @inlinable
    public init(_id id: ID, from reader: inout ByteReader) throws(CodecError) {
        self.init(try Entity(_id: id, from: &reader))
    }

    @inlinable
    public static func _changes(
        from old: Self, to new: Self, into changes: inout FieldChanges
    ) throws(CodecError) {
        try Entity._changes(from: old.entity, to: new.entity, into: &changes)
    }

    /// The type of the entity's ids.
    public typealias ID = Entity.ID

    @inlinable
    public static func _storeID(_ id: ID, into writer: inout ByteWriter) throws(CodecError) {
        try Entity._storeID(id, into: &writer)
    }

    @inlinable
    public static func _loadID(from reader: inout ByteReader) throws(CodecError) -> ID {
        try Entity._loadID(from: &reader)
    }

    @inlinable
    public static func _sameID(_ first: ID, _ second: ID) -> Bool { Entity._sameID(first, second) }

    @inlinable
    public static func _hashID(_ id: ID) -> UInt64 { Entity._hashID(id) }

    /// Nothing to do: the relations are the entity's, kept as ids.
    @inlinable
    public mutating func _normalize() {}

    @inlinable
    public func _saveRelations(to context: inout Context, at slot: Slot) throws {}

    @inlinable
    public init(_patching old: Self, with new: Self) { self = new }
}

extension Deleted: Equatable where Entity: Equatable {}
extension Deleted: Hashable where Entity: Hashable {}

/// As `{"entity": …}`.
private enum DeletedCodingKeys: String, CodingKey {
    case entity
}

extension Deleted: Encodable where Entity: Encodable {
    /// Writes `{"entity": …}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DeletedCodingKeys.self)
        try container.encode(entity, forKey: .entity)
    }
}

extension Deleted: Decodable where Entity: Decodable {
    /// Reads `{"entity": …}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DeletedCodingKeys.self)
        self.init(try container.decode(Entity.self, forKey: .entity))
    }
}
