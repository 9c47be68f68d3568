/// What a value says about one of its relations: nothing, ids, whole entities, or that there is
/// no related entity.
///
/// Stored rows always say `.none`: links are kept by the context. Setting a relation and saving
/// the entity changes them.
public struct Relation<Entity: EntityModelProtocol, Directionality, Cardinality, Constraints>:
    Sendable
where Cardinality: CardinalityProtocol, Cardinality.Entity == Entity {
    /// Nil is `.none`, so that an unset relation costs one word.
    @usableFromInline let content: RelationContent<Entity>?

    @inlinable
    init(_ content: RelationContent<Entity>?) { self.content = content }

    @inlinable
    package init(ids: [Entity.ID], isSlice: Bool = false) {
        self.init(RelationContent(.holding(ids), isSlice: isSlice))
    }

    @inlinable
    init(id: Entity.ID) { self.init(RelationContent(.id(id), isSlice: false)) }

    @inlinable
    init(entities: [Entity], isFragment: Bool, isSlice: Bool = false) {
        self.init(RelationContent(.entities(entities, isFragment: isFragment), isSlice: isSlice))
    }

    /// Says nothing: saving leaves the links as they are.
    @inlinable public static var none: Self { Self(nil) }

    /// Makes the relation say nothing.
    @inlinable
    public mutating func normalize() { self = .none }

    // MARK: - What it says

    /// Whether the relation says nothing.
    @inlinable public var isNone: Bool { readableContent == nil }

    /// Whether it holds ids only. An explicit null holds none.
    public var isId: Bool {
        switch readableContent?.state {
        case .id, .ids, .nullID, .covered: true
        case .entities, .null, nil: false
        }
    }

    /// Whether its entities are to be saved with the fragment strategy.
    public var isFragment: Bool {
        if case .entities(_, isFragment: true) = readableContent?.state { return true }
        return false
    }

    /// Whether it is to be appended to the stored links rather than to replace them.
    public var isSlice: Bool { readableContent?.isSlice ?? false }

    /// Whether it says explicitly that there is no related entity.
    public var isNull: Bool {
        switch readableContent?.state {
        case .null, .nullID: true
        case .id, .ids, .entities, .covered, nil: false
        }
    }

    /// The content, for code that asks for more than entities: traps in a row that a condition reads.
    @usableFromInline var readableContent: RelationContent<Entity>? {
        if case .covered(let cover, nil) = content?.state { cover.refuse() }
        return content
    }

    /// The ids it holds, of entities or by themselves; none where it says nothing.
    @inlinable package var heldIDs: [Entity.ID] { content?.ids ?? [] }

    /// The id it holds, where that is one by itself.
    @inlinable var onlyID: Entity.ID? {
        content?.onlyID
    }

    /// The entities it holds; none when it holds ids only.
    @inlinable var entities: [Entity] {
        switch content?.state {
        case .entities(let entities, _): entities
        case .covered(let cover, _): cover.refuse()
        case .id, .ids, .null, .nullID, nil: []
        }
    }

    /// What is loaded: nil where the relation says nothing; of a to-many relation that holds ids
    /// only, an empty list.
    @inlinable public var loadedValue: Cardinality.Value? {
        content == nil ? nil : Cardinality._value(of: entities)
    }
}

/// The heap part of a relation that says something; it also breaks the recursion of a struct
/// that is related to its own type.
@usableFromInline
final class RelationContent<Entity: EntityModelProtocol>: LoadedContent, @unchecked Sendable {
    @usableFromInline
    enum State: Sendable {
        /// What most relations to one entity hold, without a list.
        case id(Entity.ID)
        /// None or several, see ``holding(_:)``.
        case ids([Entity.ID])
        case entities([Entity], isFragment: Bool)
        case null
        /// An explicit null that was decoded from `{"id": null}` and is encoded so again.
        case nullID
        /// In a row that a condition reads. A tombstone's ids can be read, everything else traps.
        case covered(RelationCover, over: RelationContent?)

        @inlinable
        static func holding(_ ids: [Entity.ID]) -> State {
            ids.count == 1 ? .id(ids[0]) : .ids(ids)
        }
    }

    // Changed by nothing but the release.
    @exclusivity(unchecked) @usableFromInline var state: State

    @inlinable
    init(_ state: State, isSlice: Bool) {
        self.state = state
        if case .entities(let entities, _) = state {
            super.init(isSlice: isSlice, hasEntities: !entities.isEmpty)
        } else {
            super.init(isSlice: isSlice, hasEntities: false)
        }
    }

    deinit {
        guard hasEntities else { return }
        NestedRelease.perform(&state) { $0 = .null }
    }

    @inlinable var ids: [Entity.ID] {
        switch state {
        case .id(let id): [id]
        case .ids(let ids): ids
        case .entities(let entities, _): entities.map { $0.id }
        case .covered(_, .some(let content)): content.ids
        case .covered(let cover, nil): cover.refuse()
        case .null, .nullID: []
        }
    }

    /// The id, where it is one by itself.
    @inlinable var onlyID: Entity.ID? {
        switch state {
        case .id(let id): id
        case .covered(_, let content): content?.onlyID
        case .ids, .entities, .null, .nullID: nil
        }
    }

    // MARK: - Walking what is loaded

    override func latest(in context: Context, _ nested: inout [LoadedContent]) -> Int64? {
        guard case .entities(let entities, _) = state else {
            return ids.compactMap { context.microseconds(of: Entity.self, id: $0) }.max()
        }
        return entities.compactMap { entity in
            entity.forEachContent { nested.append($0) }
            return context.microseconds(of: Entity.self, id: entity.id)
        }.max()
    }

    override func isIdentical(to other: LoadedContent, _ rest: inout LoadedPairs) -> Bool {
        let other = unsafeDowncast(other, to: RelationContent<Entity>.self)
        switch (state, other.state) {
        case (.covered(let cover, _), _), (_, .covered(let cover, _)): cover.refuse()
        case (.id(let first), .id(let second)): return first == second
        case (.ids(let first), .ids(let second)): return first == second
        case (.entities(let first, let isFragment), .entities(let second, let isOtherFragment)):
            return isFragment == isOtherFragment && first.count == second.count
                && zip(first, second).allSatisfy { $0.isIdentical(to: $1, &rest) }
        case (.null, .null), (.nullID, .nullID): return true
        default: return false
        }
    }
}

// MARK: - Making one

extension Relation where Cardinality == Relations.ToOne<Entity> {
    /// The related entity by its id.
    @inlinable public static func id(_ id: Entity.ID) -> Self { Self(id: id) }
    /// The related entity, saved along with its owner.
    @inlinable public static func relation(_ entity: Entity) -> Self {
        Self(entities: [entity], isFragment: false)
    }
    /// The related entity, saved along as a fragment.
    @inlinable public static func fragment(_ entity: Entity) -> Self {
        Self(entities: [entity], isFragment: true)
    }
    /// The id it holds, of an entity or by itself.
    public var id: Entity.ID? { onlyID ?? heldIDs.first }
}

extension Relation
where Cardinality == Relations.ToOne<Entity>, Constraints == Relations.Optional {
    /// No related entity: saving removes the link.
    @inlinable public static var null: Self { Self(RelationContent(.null, isSlice: false)) }
}

extension Relation where Cardinality == Relations.ToMany<Entity> {
    /// The ids it holds, of entities or by themselves; nil where the relation says nothing.
    @inlinable public var ids: [Entity.ID]? { isNone ? nil : heldIDs }

    /// All related entities by their ids.
    @inlinable public static func ids(_ ids: [Entity.ID]) -> Self { Self(ids: ids) }
    /// All related entities, saved along with their owner.
    @inlinable public static func relation(_ entities: [Entity]) -> Self {
        Self(entities: entities, isFragment: false)
    }
    /// All related entities, saved along as fragments.
    @inlinable public static func fragment(_ entities: [Entity]) -> Self {
        Self(entities: entities, isFragment: true)
    }
    /// More related entities, which follow those that are linked.
    @inlinable public static func appending(relation entities: [Entity]) -> Self {
        Self(entities: entities, isFragment: false, isSlice: true)
    }
    /// More related entities, saved as fragments, which follow those that are linked.
    @inlinable public static func appending(fragment entities: [Entity]) -> Self {
        Self(entities: entities, isFragment: true, isSlice: true)
    }
    /// More related entities by their ids, which follow those that are linked.
    @inlinable public static func appending(ids: [Entity.ID]) -> Self {
        Self(ids: ids, isSlice: true)
    }
}
