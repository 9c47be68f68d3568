/// A query whose names have become numbers of a catalog.
struct BoundQuery: Sendable {
    let type: TypeDefinition
    let selectsDeleted: Bool
    let condition: BoundExpression?
    let grouping: [BoundExpression]
    /// Nil where each row is an answer of its own.
    let isGrouped: Bool
    let columns: [(title: String, expression: BoundExpression)]
    let order: [(expression: BoundExpression, isDescending: Bool)]
    let limit: Int?
    let offset: Int
    /// The positions of the fields that are read of each type.
    let fields: [TypeNumber: Set<Int>]
}

indirect enum BoundExpression: Sendable {
    case constant(StoredContent)
    case id
    /// By position in the type's fields.
    case field(Int)
    case metadata(QueryMetadata)
    case member(BoundExpression, String)
    /// What an expression is of the entity that a relation to one leads to; null without one.
    case related(BoundRelation, BoundExpression)
    case not(BoundExpression)
    case and([BoundExpression])
    case or([BoundExpression])
    case comparison(QueryComparison, BoundExpression, BoundExpression)
    case membership(BoundExpression, in: [BoundExpression])
    case isNull(BoundExpression)
    case quantified(QueryQuantifier, BoundRelation, BoundExpression)
    case linkCount(BoundRelation, BoundExpression?)
    case function(QueryFunction, BoundExpression)
    /// By position among the aggregates of the query.
    case aggregate(QueryAggregate, BoundExpression?)
}

struct BoundRelation: Sendable {
    let source: TypeNumber
    let number: RelationNumber
    let target: TypeNumber
}

/// What is known of an entity beside its properties.
enum QueryMetadata: String, CaseIterable {
    /// When it was last saved.
    case updatedAt = "@updatedAt"
    /// The transaction that last touched it.
    case transaction = "@transaction"
    /// Its place in the order of its type.
    case ordinal = "@ordinal"

    var type: StoredType { self == .updatedAt ? .date : .uint64 }
}
