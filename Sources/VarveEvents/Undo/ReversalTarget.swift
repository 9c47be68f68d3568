/// An entity in a state that a transaction is reverted from.
package struct EntityPlace: Hashable, Sendable {
    /// The state's own number for the type.
    package let table: Int
    package let slot: UInt32

    package init(table: Int, slot: UInt32) {
        self.table = table
        self.slot = slot
    }
}

/// One list of one relation, as slots of the relation's target type.
package protocol ReversalList {
    var count: Int { get }
    func slot(at position: Int) -> UInt32
    func position(of slot: UInt32) -> Int?
    mutating func insert(_ slot: UInt32, at position: Int)
    mutating func remove(at position: Int)
}

/// What an entity without a row and a tombstone is.
package enum EntityAbsence: Sendable {
    /// It goes for good in the running transaction.
    case goes
    /// It went for good at that version.
    case gone(PreviousVersion)
    /// It was never there: links to its id lead to something that is still to come.
    case toCome
}

/// What a relation is, in the state that it is looked up in.
package struct ReversalRelation {
    package let index: Int
    package let number: RelationNumber
    /// The state's number for the target type.
    package let target: Int
    package let targetType: TypeNumber
    package let isToMany: Bool
    /// The relation of the target type that mirrors this one.
    package let inverse: Int?

    package init(
        index: Int, number: RelationNumber, target: Int, targetType: TypeNumber, isToMany: Bool,
        inverse: Int?
    ) {
        self.index = index
        self.number = number
        self.target = target
        self.targetType = targetType
        self.isToMany = isToMany
        self.inverse = inverse
    }
}

/// The state that a transaction is reverted from: rows and links that are set without hooks,
/// resolvers, strategies or delete rules.
///
/// Rows are bytes in the layout of ``definition(ofTable:)``. A `version` is given where the
/// state shall be what it was then; without one, what is set carries the running transaction.
///
/// An object: code that does not know the type copies a value, whole, for each question to it.
package protocol ReversalTarget: AnyObject {
    associatedtype List: ReversalList

    /// The place of an entity, given out now if the id is new; nil for types that the state does
    /// not hold.
    func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace?
    /// The definition that the state's rows of a type are of: not always the newest that was logged.
    func definition(ofTable table: Int) -> TypeDefinition
    /// Whether the ids of the type are given. A definition says so for ever, and an app may give them itself again.
    func numbersIDs(ofTable table: Int) -> Bool
    func presence(of place: EntityPlace) -> EntityPresence
    func stamps(of place: EntityPlace) -> EntityStamps
    /// How many of the fields, from the first, the state can hold.
    func knownFieldCount(ofTable table: Int) -> Int
    /// Appends the row of a live entity.
    func writeRow(of place: EntityPlace, into writer: inout ByteWriter) throws(CodecError)
    /// The entity as the log names it.
    func encoded(_ place: EntityPlace) throws(CodecError) -> EncodedEntity
    /// The entity as people read it: type and id.
    func name(of place: EntityPlace) -> (type: String, id: String)

    /// Makes the entity live with this row, whatever it was.
    func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError)
    /// Makes the entity a tombstone, whatever it was.
    func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError)
    /// Takes row and tombstone away.
    func clear(_ place: EntityPlace, as absence: EntityAbsence) throws(CodecError)

    /// A relation of a table, nil where the state does not hold it.
    func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation?
    /// The relation at a position, which the table has.
    func relation(at index: Int, ofTable table: Int) -> ReversalRelation
    func relationCount(ofTable table: Int) -> Int
    func relationName(_ index: Int, ofTable table: Int) -> String
    func list(of relation: Int, at place: EntityPlace) -> List
    func setList(_ list: List, of relation: Int, at place: EntityPlace)

    /// Whether entities may have unique values.
    func hasUniqueIndexes(inTable table: Int) -> Bool
    /// An entity that has a unique value of this one, with the name of the index.
    func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)?
}

/// Why a transaction cannot be reverted as it is: something has come since that would be lost, or
/// that is missing.
package struct ReversalConflict: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case fieldChanged(String)
        /// Of a long text only what changed is logged, and it is not there any more.
        case longTextChanged(String)
        /// The entity was deleted since.
        case missing
        /// The entity was created again since.
        case exists
        case uniqueValueTaken(index: String, by: String)
        case targetMissing(relation: String, target: String)
        case dependants(relation: String, entities: [String])
        case ownerMoved(relation: String)
        /// A link of a to-many relation was made, cut or moved again.
        case linkChanged(relation: String, target: String)
        /// The field, or relation, belongs to a newer version of the app.
        case unknownToApp(String)
        /// The store gives the ids of the type by now, and 0 means that one is still to be given.
        case zeroID
    }

    package let type: String
    package let id: String
    package let reason: Reason

    /// Whether forcing leaves it standing: a constraint would be broken, or data lost that the app
    /// does not even see.
    package var isFinal: Bool {
        switch reason {
        case .uniqueValueTaken, .unknownToApp, .longTextChanged, .zeroID: true
        default: false
        }
    }
}

/// Why a transaction cannot be reverted at all.
package enum ReversalError: Error, Sendable {
    case event(EventError)
    /// A value that is not one of its type, or that the app's type cannot read.
    case unreadable(type: String, id: String, CodecError)
    case definition(CatalogError)
    /// The state is not the one behind the transaction.
    case inconsistent(String)
}

extension ReversalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .event(let error): "\(error)"
        case .unreadable(let type, let id, let error): "\(type) \(id): \(error)"
        case .definition(let error): "\(error)"
        case .inconsistent(let reason): reason
        }
    }
}
