internal import VarveText

/// Why a transaction does not follow from the state before it.
package indirect enum ReplayError: Error, Equatable, Sendable {
    case outOfOrder(found: TransactionID, expected: TransactionID)
    case event(TransactionID, EventError)
    case definition(TransactionID, CatalogError)
    case unknownType(TransactionID, TypeNumber)
    /// The entity's id is given as JSON text.
    case entity(TransactionID, type: String, id: String, EntityFault)
}

/// What does not fit an entity's state.
package indirect enum EntityFault: Error, Equatable, Sendable {
    case invalidID(CodecError)
    case alreadyExists
    case doesNotExist
    case hasNoTombstone
    case previousVersion(found: PreviousVersion?, expected: PreviousVersion?)
    case malformedRow(CodecError)
    case rowDiffers
    case ordinalDiffers(found: Ordinal, expected: Ordinal)
    case fieldOutOfRange(position: Int)
    case malformedValue(property: String, CodecError)
    case oldValueDiffers(property: String)
    case unknownRelation(RelationNumber)
    case listCountDiffers(relation: String, found: Int, expected: Int)
    case listMemberDiffers(relation: String, position: Int)
    case tooManyTargets(relation: String)
    case wrongTargetType(relation: String)
    case tooLarge
    case tooManyEntities
}

extension ReplayError: CustomStringConvertible {
    package var description: String { "transaction \(transaction): \(reason)" }

    private var transaction: TransactionID {
        switch self {
        case .outOfOrder(let id, _), .event(let id, _), .definition(let id, _),
            .unknownType(let id, _), .entity(let id, _, _, _):
            id
        }
    }

    /// The description without the transaction, which the caller names.
    package var reason: String {
        switch self {
        case .outOfOrder(_, let expected): "\(expected) comes next"
        case .event(_, let error): "\(error)"
        case .definition(_, let error): "\(error)"
        case .unknownType(_, let type): "type \(type) is not defined"
        case .entity(_, let type, let entity, let fault): "\(type) \(entity): \(fault)"
        }
    }
}

extension EntityFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidID(let error): "not an id of this type: \(error)"
        case .alreadyExists: "inserted, but it exists"
        case .doesNotExist: "changed, but it does not exist"
        case .hasNoTombstone: "purged, but it has no tombstone"
        case .previousVersion(let found, let expected):
            "follows \(Self.name(found)), but the newest is \(Self.name(expected))"
        case .malformedRow(let error): "malformed row: \(error)"
        case .rowDiffers: "deleted with another row than it has"
        case .ordinalDiffers(let found, let expected):
            "has ordinal \(expected), the event says \(found)"
        case .fieldOutOfRange(let position): "has no field at position \(position)"
        case .malformedValue(let property, let error): "new value of '\(property)': \(error)"
        case .oldValueDiffers(let property): "'\(property)' had another value before"
        case .unknownRelation(let number): "has no relation \(number)"
        case .listCountDiffers(let relation, let found, let expected):
            "'\(relation)' has \(expected.counted("link")), the event says \(found)"
        case .listMemberDiffers(let relation, let position):
            "'\(relation)' holds another entity at position \(position)"
        case .tooManyTargets(let relation): "'\(relation)' holds one entity at most"
        case .wrongTargetType(let relation): "'\(relation)' holds entities of another type"
        case .tooLarge: "the row is too large"
        case .tooManyEntities: "the type has too many entities"
        }
    }

    private static func name(_ version: PreviousVersion?) -> String {
        version.map { "transaction \($0.transaction)" } ?? "none"
    }
}
