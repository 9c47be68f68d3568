public import VarveEvents

/// Collects what generated code says about an entity type.
public struct EntityDescription<Entity: EntityModelProtocol> {
    @usableFromInline var erased = ErasedDescription()

    /// A description without fields, relations and indexes.
    @inlinable
    public init() {}

    /// Says how ids are persisted.
    ///
    /// - Parameters:
    ///   - kind: the codec of the id's type.
    ///   - isGiven: whether an entity computes its id, perhaps from what a hook sets before it is saved.
    @inlinable
    public mutating func id(_ kind: FieldKind, isGiven: Bool = false) {
        erased.id = kind
        erased.isIDGiven = isGiven
    }

    /// Adds the next field in row order. `fill` writes the value that rows of older logs get.
    @inlinable
    public mutating func field<Value: Storable>(
        _ name: String, _ path: KeyPath<Entity, Value>,
        fill: (@Sendable (inout ByteWriter) throws(CodecError) -> Void)? = nil
    ) {
        add(name, _FieldCodec.kind(path), path, fill)
    }

    /// Adds the next field, of a type of which only the runtime knows how it is stored.
    @_disfavoredOverload
    @inlinable
    public mutating func field<Value>(
        _ name: String, _ path: KeyPath<Entity, Value>,
        fill: (@Sendable (inout ByteWriter) throws(CodecError) -> Void)? = nil
    ) {
        add(name, _FieldCodec.kind(path), path, fill)
    }

    @usableFromInline
    mutating func add<Value>(
        _ name: String, _ kind: FieldKind, _ path: KeyPath<Entity, Value>,
        _ fill: (@Sendable (inout ByteWriter) throws(CodecError) -> Void)?
    ) {
        erased.fields.append(
            FieldDescription(
                name: name, kind: kind, path: SendablePath(path),
                offset: MemoryLayout<Entity>.offset(of: path), valueType: Value.self, fill: fill))
    }

    /// Adds the next relation, one that the other side knows nothing of.
    @inlinable
    public mutating func relation<Child, Directionality, Cardinality, Constraint>(
        _ name: String,
        _ path: KeyPath<Entity, Relation<Child, Directionality, Cardinality, Constraint>>,
        offset: Int?, deleteRule: DeleteRule
    ) {
        erased.relations.append(
            RelationDescription(
                name: name, path: path, inverse: nil, offset: offset, deleteRule: deleteRule,
                nestedStep: Nested.maker(for: path),
                collectHashes: RelationDescription.hashCollector(for: path)))
    }

    /// Adds the next relation, one whose other side is `inverse`: the typed paths are the proof
    /// that both sides name each other's types. The other side may name this one in turn, or leave
    /// it at that.
    @inlinable
    public mutating func relation<
        Child, Cardinality, Constraint, InverseDirection, InverseCardinality, InverseRule
    >(
        _ name: String,
        _ path: KeyPath<Entity, Relation<Child, Relations.Mutual, Cardinality, Constraint>>,
        inverse: KeyPath<
            Child, Relation<Entity, InverseDirection, InverseCardinality, InverseRule>
        >,
        offset: Int?, deleteRule: DeleteRule, orphans: OrphanRule = .keep
    ) {
        erased.relations.append(
            RelationDescription(
                name: name, path: path, inverse: inverse, offset: offset, deleteRule: deleteRule,
                orphans: orphans, nestedStep: Nested.maker(for: path),
                collectHashes: RelationDescription.hashCollector(for: path)))
    }
}

extension EntityDescription where Entity.ID: FixedWidthInteger {
    /// Says that the context gives the ids. Said behind ``id(_:isGiven:)``.
    @inlinable
    public mutating func numberIDs() {
        // What an entity has for an id before its save is none.
        erased.isIDGiven = true
        erased.numberOfID = { table, slot in
            UInt64(exactly: table.rows(of: Entity.self).id(of: slot))
        }
    }
}

/// A description without its entity's type.
@usableFromInline
struct ErasedDescription {
    @usableFromInline var id: FieldKind = .unsupported(typeName: "an undeclared id")
    @usableFromInline var isIDGiven = false
    @usableFromInline var numberOfID: (@Sendable (AnyTable, Slot) -> UInt64?)?
    @usableFromInline var fields: [FieldDescription] = []
    @usableFromInline var relations: [RelationDescription] = []
    var indexes: [IndexDefinition] = []

    @usableFromInline
    init() {}
}

/// One persisted property of an entity type.
public struct FieldDescription: Sendable {
    package let name: String
    package let kind: FieldKind
    let path: SendablePath
    /// Where the value stands inside an entity, in bytes; nil where it is not simply stored.
    let offset: Int?
    let valueType: Any.Type
    package let fill: (@Sendable (inout ByteWriter) throws(CodecError) -> Void)?

    @usableFromInline
    init(
        name: String, kind: FieldKind, path: SendablePath, offset: Int?, valueType: Any.Type,
        fill: (@Sendable (inout ByteWriter) throws(CodecError) -> Void)?
    ) {
        self.name = name
        self.kind = kind
        self.path = path
        self.offset = offset
        self.valueType = valueType
        self.fill = fill
    }
}

/// A key path that may cross threads.
///
/// Key paths are immutable; they are not Sendable only because a subscript component may capture
/// a value that is not, and a relation's path has none.
@usableFromInline
package struct SendablePath: @unchecked Sendable {
    @usableFromInline package let raw: AnyKeyPath

    @usableFromInline
    init(_ raw: AnyKeyPath) { self.raw = raw }
}

/// One relation of an entity type: its persisted shape, and how to read and write the relation
/// inside a value without knowing the value's type.
///
/// A class, because saves and deletions look at each relation: one reference to count instead of one for each closure.
public final class RelationDescription: Sendable {
    package let name: String
    @usableFromInline package let path: SendablePath
    @usableFromInline package let inverse: SendablePath?
    /// Where the relation stands inside a value, in bytes.
    @usableFromInline package let offset: Int
    @usableFromInline package let isToMany: Bool
    package let isRequired: Bool
    package let deleteRule: DeleteRule
    let orphans: OrphanRule
    package let child: any EntityModelProtocol.Type
    package let childDescriptor: @Sendable () -> EntityDescriptor
    /// Sets the relation at the address to the ids of these slots of the child's table.
    @usableFromInline
    let assignIDs: @Sendable (UnsafeMutableRawPointer, AnyTable, ContiguousArray<UInt32>) -> Void
    /// Reduces the relation at the address to ids, or to nothing where it holds none: what a
    /// tombstone keeps.
    let makePlain: @Sendable (UnsafeMutableRawPointer) -> Void
    /// Starts to save the entities that the relation at the address holds, and links nothing.
    let saveEntities: @Sendable (UnsafeRawPointer, inout Context) -> Void
    /// Appends the hashes of ids that the relation at the address holds by themselves, up to so many in all.
    let collectHashes: HashCollector
    /// Writes each id of the relation at the address, handing its bytes to the closure.
    package let storeIDs:
        @Sendable (UnsafeRawPointer, (UnsafeRawBufferPointer) -> Void) throws(CodecError) -> Void
    /// Sets the relation at the address to the ids encoded here.
    package let loadIDs:
        @Sendable (UnsafeMutableRawPointer, [UnsafeRawBufferPointer]) throws(CodecError) -> Void

    /// What a row holds of the relation while a condition reads it.
    let cover: any AnyObject & Sendable
    /// Covers the entities of the relation at the address, which holds ids; these can be read.
    /// The address does not own what it is given: the caller keeps it.
    let coverEntities: @Sendable (UnsafeMutableRawPointer) -> AnyObject?
    /// Takes the cover off the relation at the address, which owns what it holds.
    let uncover: @Sendable (UnsafeMutableRawPointer) -> Void
    let refuse: @Sendable () -> Never

    /// Loads the relation as one level of a depth list says; compiled in the client's module.
    let nestedStep: Nested.Maker

    @usableFromInline
    init<Entity: EntityModelProtocol, Child, Directionality, Cardinality, Constraint>(
        name: String,
        path: KeyPath<Entity, Relation<Child, Directionality, Cardinality, Constraint>>,
        inverse: AnyKeyPath?, offset: Int?, deleteRule: DeleteRule, orphans: OrphanRule = .keep,
        nestedStep: @escaping Nested.Maker, collectHashes: @escaping HashCollector
    ) {
        guard let offset else {
            preconditionFailure("the relation \(Entity.self).\(name) is not a stored property")
        }
        typealias Value = Relation<Child, Directionality, Cardinality, Constraint>
        self.name = name
        self.path = SendablePath(path)
        self.inverse = inverse.map(SendablePath.init)
        self.offset = offset
        self.isToMany = Cardinality.isToMany
        self.isRequired = Constraint.self == Relations.Required.self
        self.deleteRule = deleteRule
        self.orphans = orphans
        self.child = Child.self
        self.childDescriptor = { Child._descriptor }
        self.nestedStep = nestedStep
        let cover = RelationCover("\(Entity.self).\(name)")
        self.cover = RelationContent<Child>(.covered(cover, over: nil), isSlice: false)
        self.refuse = { cover.refuse() }
        self.coverEntities = { address in
            let relation = address.assumingMemoryBound(to: Value.self)
            guard let content = relation.pointee.content else { return nil }
            let covered = RelationContent<Child>(.covered(cover, over: content), isSlice: false)
            address.storeBytes(
                of: Unmanaged.passUnretained(covered).toOpaque(), as: UnsafeRawPointer.self)
            return covered
        }
        self.uncover = { address in
            let relation = address.assumingMemoryBound(to: Value.self)
            guard case .covered(_, let content) = relation.pointee.content?.state else { return }
            relation.pointee = Value(content)
        }
        self.assignIDs = { address, table, slots in
            let table = table.rows(of: Child.self)
            address.assumingMemoryBound(to: Value.self).pointee =
                Value(ids: slots.map { table.id(of: Slot($0)) })
        }
        self.makePlain = { address in
            let relation = address.assumingMemoryBound(to: Value.self)
            let ids = relation.pointee.heldIDs
            relation.pointee = ids.isEmpty ? .none : Value(ids: ids)
        }
        self.saveEntities = { address, context in
            guard let content = address.assumingMemoryBound(to: Value.self).pointee.content,
                content.hasEntities
            else { return }
            context.deferSave(PendingRelation(content, linkedTo: nil))
        }
        self.collectHashes = collectHashes
        self.storeIDs = { (address, body) throws(CodecError) in
            var writer = ByteWriter()
            for id in address.assumingMemoryBound(to: Value.self).pointee.heldIDs {
                writer.removeAll()
                try Child._storeID(id, into: &writer)
                writer.withBytes { body($0) }
            }
        }
        self.loadIDs = { (address, encoded) throws(CodecError) in
            var ids: [Child.ID] = []
            for bytes in encoded {
                var reader = ByteReader(bytes)
                ids.append(try Child._loadID(from: &reader))
            }
            address.assumingMemoryBound(to: Value.self).pointee = Value(ids: ids)
        }
    }

    @usableFromInline
    typealias HashCollector =
        @Sendable (UnsafeRawPointer, inout ContiguousArray<UInt64>, Int) -> Void

    /// Compiled in the client's module: every save of several asks this, and where the types are not known it takes
    /// several times as long.
    @inlinable
    static func hashCollector<Entity, Child, Directionality, Cardinality, Constraint>(
        for path: KeyPath<Entity, Relation<Child, Directionality, Cardinality, Constraint>>
    ) -> HashCollector {
        { address, hashes, limit in
            let relation = address.assumingMemoryBound(
                to: Relation<Child, Directionality, Cardinality, Constraint>.self)
            switch relation.pointee.content?.state {
            case .id(let id) where hashes.count < limit: hashes.append(Child._hashID(id))
            case .ids(let ids):
                ids.withUnsafeBufferPointer { ids in
                    for position in 0..<min(ids.count, limit - hashes.count) {
                        hashes.append(Child._hashID(ids[position]))
                    }
                }
            case .id, .entities, .null, .nullID, .covered, nil: break
            }
        }
    }
}
