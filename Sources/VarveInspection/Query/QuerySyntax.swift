/// A query as it is written, before its names are looked up.
struct QuerySyntax: Sendable {
    var type: QueryName
    var selectsDeleted = false
    var condition: QueryExpression?
    var grouping: [QueryColumn] = []
    var selection: [QueryColumn] = []
    var order: [QueryOrder] = []
    var limit: Int?
    var offset = 0
}

/// A name and where it is written.
struct QueryName: Hashable, Sendable {
    let text: String
    let place: Range<Int>
}

/// An expression under the name of its column.
struct QueryColumn: Sendable {
    let title: String
    let expression: QueryExpression
    /// What its title comes from.
    let place: Range<Int>
}

struct QueryOrder: Sendable {
    let expression: QueryExpression
    let isDescending: Bool
}

struct QueryExpression: Sendable {
    indirect enum Form: Sendable {
        case literal(StoredContent)
        case path([QueryName])
        case not(QueryExpression)
        case and([QueryExpression])
        case or([QueryExpression])
        case comparison(QueryComparison, QueryExpression, QueryExpression)
        case membership(QueryExpression, in: [QueryExpression])
        case isNull(QueryExpression)
        /// `any(path, condition)`, `all(path, condition)`.
        case quantified(QueryQuantifier, [QueryName], QueryExpression)
        /// `count(path)`, `count(path, condition)`; `count()` is an aggregate.
        case count([QueryName], QueryExpression?)
        case function(QueryFunction, QueryExpression)
        case aggregate(QueryAggregate, QueryExpression?)
    }

    let form: Form
    let place: Range<Int>
}

enum QueryComparison: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains, startsWith, endsWith
}

enum QueryQuantifier: String, Sendable {
    case any, all
}

enum QueryFunction: String, Sendable {
    /// A text in lower case.
    case lower
    /// The number of characters, bytes or elements.
    case length
}

enum QueryAggregate: String, Sendable {
    case count, sum, least, most, average
}
