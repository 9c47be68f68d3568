internal import VarveEvents
internal import Synchronization

/// What the library knows about one entity type: its persisted shape, its relations, and the
/// operations on it that the client's module has specialised.
///
/// There is one for each type and process. Generated code makes it; applications never do.
public final class EntityDescriptor: Sendable {
    /// The name under which the type is persisted.
    public let name: String
    package let type: any EntityModelProtocol.Type
    @usableFromInline package let idKind: FieldKind
    package let fields: [FieldDescription]
    @usableFromInline package let relations: [RelationDescription]
    let indexes: ContiguousArray<IndexDefinition>
    /// Whether rows may be kept as bytes, which are read more than once.
    @usableFromInline package let mayBePacked: Bool
    /// Whether rows that were saved, and are in the indexes as they were, may be kept as bytes.
    package let mayBePackedWhenSaved: Bool
    /// Whether an id is known before the entity's hooks ran, and hashed at little cost.
    @usableFromInline let hasForeseeableID: Bool
    /// Whether ids are hashed at little cost.
    @usableFromInline let hasPlainID: Bool
    /// The number that the id of a slot has, of a type whose ids the context gives.
    @usableFromInline let numberOfID: (@Sendable (AnyTable, Slot) -> UInt64?)?
    /// Whether a save must ask if another entity has the same values.
    @usableFromInline package let hasUniqueIndexes: Bool
    @usableFromInline package let operations: EntityOperations
    /// A small process-wide number that contexts index by.
    @usableFromInline let number: Int
    /// For `Deleted<E>`, the type whose tombstones its rows are.
    @usableFromInline package let tombstoneOwner: (any EntityModelProtocol.Type)?
    @usableFromInline let tombstones: TombstoneReference
    /// Covers the relations of a row that a condition reads; nil where the type has none.
    @usableFromInline let cover: RowCover?

    /// Describes an entity type under its persisted name. Generated code calls this, once for each type.
    @inlinable
    public convenience init<E: EntityModelProtocol>(_ type: E.Type, name: String) {
        var description = EntityDescription<E>()
        E._describe(&description)
        self.init(
            type, name: name, description: description.erased,
            operations: EntityOperations(type), tombstoneOwner: nil)
    }

    @usableFromInline
    init(
        _ type: any EntityModelProtocol.Type, name: String, description: ErasedDescription,
        operations: EntityOperations, tombstoneOwner: (any EntityModelProtocol.Type)?
    ) {
        self.type = type
        self.name = name
        self.idKind = description.id
        self.fields = description.fields
        self.relations = description.relations
        self.indexes = ContiguousArray(description.indexes)
        let kinds = [description.id] + description.fields.map(\.kind)
        let types = kinds.map { (kind) -> StoredType? in
            if case .stored(let type, _) = kind { type } else { nil }
        }
        self.mayBePacked = types.allSatisfy { $0?.isReadAlike ?? false }
        self.mayBePackedWhenSaved = types.allSatisfy { $0?.isReadAsWritten ?? false }
        self.hasPlainID = if case .stored(_, .storable) = description.id { true } else { false }
        self.hasForeseeableID = hasPlainID && !description.isIDGiven
        self.numberOfID = description.numberOfID
        self.hasUniqueIndexes = description.indexes.contains { $0.kind == .unique }
        self.operations = operations
        self.number = EntityRegistry.shared.nextNumber()
        self.tombstoneOwner = tombstoneOwner
        self.tombstones = TombstoneReference()
        // The value inside a tombstone is stored at the tombstone's address.
        self.cover = RowCover(
            tombstoneOwner?._descriptor.relations ?? description.relations,
            tombstoneOwner: tombstoneOwner)
    }

    /// The descriptor of a type that cannot hold a static of its own because it is generic.
    ///
    /// `make` may run more than once when threads race; the first result stays.
    public static func registered<E: EntityModelProtocol>(
        _ type: E.Type, make: () -> EntityDescriptor
    ) -> EntityDescriptor {
        EntityRegistry.shared.descriptor(of: ObjectIdentifier(type), make: make)
    }

    /// Whether the context gives the ids.
    @inlinable package var numbersIDs: Bool { numberOfID != nil }

    /// The descriptor of the type's tombstones, once one was made.
    package var tombstoneDescriptor: EntityDescriptor? { tombstones.present }

    /// Makes the content of one index of a table whose rows were loaded. Any thread may call it.
    package func buildIndex(_ index: Int, of table: AnyTable) -> IndexContent {
        table.builtIndex(index)
    }

    /// The position of the relation at a key path such as `\Chat.$messages`.
    ///
    /// - Complexity: linear in the number of the type's relations.
    @usableFromInline
    func relationIndex(at path: AnyKeyPath) -> Int? {
        // By position: an element that is passed on would be copied, with all that it names.
        relations.indices.first { relations[$0].path.raw == path }
    }

    /// The name of an index by its number.
    package func nameOfIndex(_ index: Int) -> String { indexes[index].name }

    /// The names of the indexes about a property whose type meets a condition.
    package func namesOfIndexes(where isMet: (_ type: Any.Type) -> Bool) -> [String] {
        indexes.filter { index in
            index.components.contains { isMet(Swift.type(of: $0.path.raw).valueType) }
        }.map(\.name)
    }
}

/// Finds the descriptor of `Deleted<E>` from E's own, made at first use: made at once, it would
/// need that of `Deleted<Deleted<E>>` in turn.
@usableFromInline
final class TombstoneReference: Sendable {
    private let descriptor = Mutex<EntityDescriptor?>(nil)

    @usableFromInline
    init() {}

    var present: EntityDescriptor? { descriptor.withLock { $0 } }

    @usableFromInline
    func descriptor(make: () -> EntityDescriptor) -> EntityDescriptor {
        if let present = descriptor.withLock({ $0 }) { return present }
        let made = make()
        return descriptor.withLock { stored in
            if let present = stored { return present }
            stored = made
            return made
        }
    }
}

/// The process-wide table of numbers and of generic types' descriptors.
final class EntityRegistry: Sendable {
    static let shared = EntityRegistry()

    private struct State {
        var next = 0
        var descriptors: [ObjectIdentifier: EntityDescriptor] = [:]
    }

    private let state = Mutex(State())

    func nextNumber() -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    func descriptor(
        of type: ObjectIdentifier, make: () -> EntityDescriptor
    ) -> EntityDescriptor {
        if let present = state.withLock({ $0.descriptors[type] }) { return present }
        // Outside the lock: making a descriptor asks for a number.
        let made = make()
        return state.withLock { state in
            if let present = state.descriptors[type] { return present }
            state.descriptors[type] = made
            return made
        }
    }
}
