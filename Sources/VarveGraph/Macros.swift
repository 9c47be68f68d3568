internal import VarveEvents

/// Makes a struct an entity that a ``Context`` keeps.
///
/// ```swift
/// @EntityModel
/// struct Message {
///     let id: String
///     var text: String
///     @Relationship(.required, inverse: \.messages) var chat: Chat?
/// }
/// ```
///
/// Generated are the conformance to ``EntityModelProtocol`` with its codec, and ``EntityModelProtocol/patch``.
/// Every stored property is persisted; computed ones, static ones and a `let` with a value are
/// not. What the struct declares itself is not generated again.
///
/// An entity whose ids the store gives, by ``AutoIncrement()``, has an initializer that leaves the id out.
///
/// The entity is persisted under its name with the types around it, such as `Schema.V1.User`; the
/// names of a generic entity's arguments follow in angle brackets. An entity inside a generic
/// type must be declared in that type itself, not in an extension of it.
///
/// A module that is main-actor by default declares entities with relations as `nonisolated
/// struct`: a relation is a property that such a module isolates otherwise.
@attached(
    extension, conformances: EntityModelProtocol,
    names: named(ID), named(_descriptor), named(_describe), named(_store), named(init),
    named(_changes),
    named(_storeID), named(_loadID), named(_sameID), named(_hashID), named(_normalize),
    named(_saveRelations), named(patch), named(_assignID))
@attached(member, names: named(init))
public macro EntityModel() =
    #externalMacro(module: "VarveMacroPlugin", type: "EntityModelMacro")

/// Makes a struct an entity that is persisted under the given name, whatever the struct is called.
@attached(
    extension, conformances: EntityModelProtocol,
    names: named(ID), named(_descriptor), named(_describe), named(_store), named(init),
    named(_changes),
    named(_storeID), named(_loadID), named(_sameID), named(_hashID), named(_normalize),
    named(_saveRelations), named(patch), named(_assignID))
@attached(member, names: named(init))
public macro EntityModel(_ persistedName: StaticString) =
    #externalMacro(module: "VarveMacroPlugin", type: "EntityModelMacro")

/// Lets the store give the ids of an entity: whole numbers from 1 on, each once.
///
/// ```swift
/// @EntityModel
/// struct Note {
///     @AutoIncrement let id: Int
///     var text: String
/// }
///
/// let note = try context.create(Note(text: "Milk"))  // note.id is 1
/// ```
///
/// The id may be of any integer type. The initializer of the struct need not be given one: the id is 0 then, which
/// means that the first save gives it. A save of a value with an id of 0 inserts, so go on with what
/// ``Context/create(_:)`` returns. An id that the application brings itself counts as given.
///
/// No id comes twice: not after a deletion, an undo, a redo or a rewind, not in drafts and other copies of a context,
/// and not after a compaction or a crash. Numbers of changes that are rolled back are left out; only where the
/// process ends can the next one give numbers again that no logged transaction knows.
@attached(peer)
public macro AutoIncrement() =
    #externalMacro(module: "VarveMacroPlugin", type: "AutoIncrementMacro")

/// Lets a struct or an enum be the value of a persisted property, in binary.
///
/// A struct is stored as its stored properties; an enum as the number of its case, counted in
/// the order of declaration, and its associated values. A property that a later version adds is
/// optional or has a default value, which values from before have then. It is evaluated at each
/// look at the type, and must not depend on anything: not on the time, or on chance. A type that
/// holds itself cannot be storable: make it `Codable`, which is stored as JSON.
@attached(
    extension, conformances: Storable,
    names: named(storedType), named(store), named(load), named(sameBytes), named(init))
public macro Storable() =
    #externalMacro(module: "VarveMacroPlugin", type: "StorableMacro")

/// Lets a struct or an enum be the value of a persisted property, described in the log under the
/// given name.
@attached(
    extension, conformances: Storable,
    names: named(storedType), named(store), named(load), named(sameBytes), named(init))
public macro Storable(_ persistedName: StaticString) =
    #externalMacro(module: "VarveMacroPlugin", type: "StorableMacro")

/// Gives the name under which a property of an entity, a member of a storable struct or a case of
/// a storable enum is persisted: the old one, when the declaration was renamed.
@attached(peer)
public macro PersistedName(_ name: StaticString) =
    #externalMacro(module: "VarveMacroPlugin", type: "PersistedNameMacro")

extension EntityDescriptor {
    /// How the persisted name of a generic entity spells one of its arguments: by the persisted
    /// name that the argument has itself, where it has one. Generated code calls this.
    public static func _argumentName<Argument>(of type: Argument.Type) -> String {
        if let entity = type as? any EntityModelProtocol.Type { return entity._descriptor.name }
        if let storable = type as? any Storable.Type { return storable.storedType.description }
        return String(describing: type)
    }
}
