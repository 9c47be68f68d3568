public import Foundation
internal import VarveText

/// What happens when an entity is saved with a value that is unique and that another one has.
///
/// ```swift
/// extension CollisionResolver where Entity == User {
///     static var updateCurrentUser: Self {
///         CollisionResolver { existingID, new, indexName, context in
///             guard var user: User = context.find(existingID), user.isCurrent else { return }
///             user.isCurrent = false
///             try user.save(to: &context)
///         }
///     }
/// }
/// ```
///
/// It is named in the declaration, `collisions: .updateCurrentUser`. Written out there it would be a circular
/// reference to the compiler.
///
/// A resolver runs before the new entity is stored, within its save: what it throws rolls everything back. Where it leaves the other entity its value, both keep it.
public struct CollisionResolver<Entity: EntityModelProtocol>: Sendable {
    enum Action: Sendable {
        case upsert
        case `throw`
        case custom(
            @Sendable (Entity.ID, Entity, UniqueIndexReference<Entity>, inout Context) throws ->
                Void)
    }

    let action: Action
    @usableFromInline let ignoresNil: Bool

    private init(_ action: Action, ignoresNil: Bool = false) {
        self.action = action
        self.ignoresNil = ignoresNil
    }

    /// A resolver that is given the id of the entity that has the value, the entity that is being
    /// saved as it would be stored, and the name of the index.
    public init(
        resolveCollisionHandler resolve:
            @escaping @Sendable (
                _ existingID: Entity.ID, _ new: Entity, _ indexName: String,
                _ context: inout Context
            ) throws -> Void
    ) {
        self.init(.custom { try resolve($0, $1, $2.name, &$3) })
    }

    /// A resolver that is given a reference to the index, by which it reads the values:
    /// `new[keyPath: index]`.
    @_disfavoredOverload
    public init(
        _ resolve:
            @escaping @Sendable (
                _ existingID: Entity.ID, _ new: Entity, _ index: UniqueIndexReference<Entity>,
                _ context: inout Context
            ) throws -> Void
    ) {
        self.init(.custom(resolve))
    }

    /// The entity that has the value is deleted, with all that its delete rules take along.
    public static var upsert: Self { Self(.upsert) }

    /// The save throws ``Errors/uniqueValueIndexViolation(existing:new:indexName:)``.
    public static var `throw`: Self { Self(.throw) }

    /// This resolver, except that any number of entities may have nil: `.throw.ignoringNil`.
    public var ignoringNil: Self { Self(action, ignoresNil: true) }
}

extension CollisionResolver {
    /// Why `.throw` refuses a save. The save is rolled back as a whole.
    public enum Errors: Error, Hashable {
        /// A unique index has the value already: the ids of the entity that has it and of the one
        /// that was to be saved, and the property that declares the index.
        case uniqueValueIndexViolation(
            existing: Entity.ID, new: Entity.ID, indexName: String)
    }
}

extension CollisionResolver.Errors: CustomStringConvertible {
    /// Which entity has the value, in which index, and what to do next.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .uniqueValueIndexViolation(let existing, let new, let indexName):
            .collision(
                Entity._descriptor.name, String(describing: new),
                existing: String(describing: existing), indexName)
        }
    }
}

extension ErrorMessage {
    // Apart from the type of the entity, so that no app compiles the text once for each of its types.
    fileprivate static func collision(
        _ type: String, _ new: String, existing: String, _ indexName: String
    ) -> ErrorMessage {
        ErrorMessage(
            "\(type) \(new) cannot be saved: \(existing) has the same value already in the unique index "
                + "'\(indexName)'",
            "give it another value, or change or delete \(existing) first")
    }
}

extension CollisionResolver.Errors: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

/// Names the unique index at which two entities collide, and reads its values.
public struct UniqueIndexReference<Entity: EntityModelProtocol>: Sendable {
    /// The name of the property that declares the index.
    public let name: String
    let value: @Sendable (Entity) -> Any?

    init(_ definition: IndexDefinition) {
        name = definition.name
        let shown = definition.uniqueness?.value
        value = { entity in withUnsafePointer(to: entity) { shown?($0) ?? nil } }
    }
}

extension UniqueIndexReference: CustomStringConvertible {
    /// The name of the index.
    public var description: String { name }
}

extension EntityModelProtocol {
    /// The value of the property that an index is about, or a list of them where it is about
    /// several; nil where one of them is nil.
    public subscript(keyPath index: UniqueIndexReference<Self>) -> Any? { index.value(self) }
}

/// Two entities have a value that is unique: an error for resolvers of the application's own.
public struct UniqueConstraintViolation: Error, Hashable, Sendable {
    /// The persisted name of the entity type.
    public let type: String
    /// The id of the entity that has the value.
    public let existingID: String
    /// The name of the property that declares the index.
    public let indexName: String

    /// An error about the entity that has the value in an index.
    public init<Entity: EntityModelProtocol>(
        existingId: Entity.ID, keyPath index: UniqueIndexReference<Entity>
    ) {
        type = Entity._descriptor.name
        existingID = String(describing: existingId)
        indexName = index.name
    }
}

extension UniqueConstraintViolation: CustomStringConvertible {
    /// One line: type, id and index.
    public var description: String { message.text }

    private var message: ErrorMessage {
        ErrorMessage(
            "the \(type) \(existingID) has the same value already in the unique index '\(indexName)'",
            "save another value, or change or delete \(existingID) first")
    }
}

extension UniqueConstraintViolation: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
