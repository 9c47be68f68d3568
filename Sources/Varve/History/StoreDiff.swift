internal import VarveEvents
public import VarveGraph

/// What lies between two states of a store: the entities that one has and the other has not, and
/// those that differ.
public struct StoreDiff: Sendable {
    /// The states that are compared.
    public let before: Context
    /// The later state of the two, as it was asked for.
    public let after: Context
    /// One for each entity that differs, by type, and within one in the order in which the
    /// transactions between the states name them.
    public let changes: EntityChanges

    /// Whether the two states are equal.
    public var isEmpty: Bool { changes.isEmpty }

    /// The differences of one type, with the values of both sides.
    public func changes<Entity: EntityModelProtocol>(
        of type: Entity.Type
    ) throws -> [TypedChange<Entity>] {
        try changes.of(Entity._descriptor.name).map { change in
            var writer = ByteWriter(capacity: max(change.encodedID.count, 1))
            writer.write(change.encodedID)
            let id = try writer.withBytes { bytes throws(CodecError) in
                var reader = ByteReader(bytes)
                return try Entity._loadID(from: &reader)
            }
            return TypedChange(
                id: id, before: before.find(id), after: after.find(id),
                changedProperties: change.fields.map(\.name), links: change.links, kind: change.kind
            )
        }
    }
}

/// How entities differ between two states. Each element is worked out when it is asked for: a difference of many
/// entities takes memory for their ids alone.
public struct EntityChanges: RandomAccessCollection, Sendable {
    private let comparison: StateComparison
    private let subjects: [StateComparison.Subject]

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of entities that differ.
    public var endIndex: Int { subjects.count }

    /// - Complexity: that of one entity, with its links.
    public subscript(position: Int) -> EntityChange {
        do throws(CodecError) {
            if let change = try comparison.change(of: subjects[position]) { return change }
        } catch {
            preconditionFailure(
                "\(comparison.typeName(of: subjects[position])) was read before: \(error)")
        }
        preconditionFailure("an entity of two states that do not change differed")
    }

    init(_ comparison: StateComparison, _ subjects: [StateComparison.Subject]) {
        self.comparison = comparison
        self.subjects = subjects
    }

    /// Those of one type.
    func of(_ type: String) -> some Collection<EntityChange> {
        // Not through the elements: most of a large difference may be of other types.
        indices.filter { comparison.typeName(of: subjects[$0]) == type }.lazy.map { self[$0] }
    }
}

/// How one entity differs between two states.
public struct EntityChange: Sendable, Hashable {
    /// What became of an entity between two states.
    public enum Kind: Sendable, Hashable {
        /// Only the second state has it.
        case inserted
        /// Both states have it, with other values or links.
        case updated
        /// Only the first state has it.
        case deleted
    }

    /// One property, with its value on both sides.
    public struct Field: Sendable, Hashable {
        /// The name of the property.
        public let name: String
        /// As JSON; nil where there is no entity on that side.
        public let before: String?
        /// The value in the second state, as JSON; nil where there is no entity on that side.
        public let after: String?
    }

    /// One relation that leads elsewhere.
    public struct Links: Sendable, Hashable {
        /// The name of the relation.
        public let relation: String
        /// Ids, as people read them, in their order.
        public let removed: [String]
        /// Ids that only the second state links, as people read them, in their order.
        public let added: [String]
        /// Whether those that stay have another order.
        public let isReordered: Bool
    }

    /// The name of the entity's type, as the log has it.
    public let type: String
    /// The entity's id, as people read it.
    public let id: String
    /// What became of the entity.
    public let kind: Kind
    /// Of an updated entity those that differ, of another all.
    public let fields: [Field]
    /// Relations that lead elsewhere.
    public let links: [Links]
    let encodedID: [UInt8]
}

/// How one entity of a type that the app knows differs between two states.
public struct TypedChange<Entity: EntityModelProtocol>: Sendable {
    /// The entity's id.
    public let id: Entity.ID
    /// Nil where there is none on that side, or none that the app's type can read. Relations are not loaded.
    public let before: Entity?
    /// The entity in the second state; nil as for ``before``.
    public let after: Entity?
    /// The names of the properties that differ; all of them where one side has no entity.
    public let changedProperties: [String]
    /// Relations that lead elsewhere.
    public let links: [EntityChange.Links]
    /// What became of the entity.
    public let kind: EntityChange.Kind
}
