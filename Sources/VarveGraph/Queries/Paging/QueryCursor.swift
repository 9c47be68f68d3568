public import Foundation
internal import VarveText

/// A place in the result of a query, behind one of its entities.
///
/// It is written and read with `Codable`, and serves after inserts and deletes and after a store is
/// opened again. It knows the values that the query sorts by, so what moves in front of the place
/// is not met again, and nothing behind it is skipped.
public struct QueryCursor: Codable, Hashable, Sendable {
    /// The persisted name of the entity.
    let entity: String
    /// The values of the last sort, as JSON.
    let values: [String]
    /// The entity's place in the order of its type.
    let ordinal: UInt64
    /// The entity's id as a log writes it.
    let id: [UInt8]
    /// How many entities of the query stand before the place, for queries in an order of their own.
    let position: Int
}

/// Why a page cannot be found.
public enum QueryCursorError: Error, Hashable, Sendable {
    /// The cursor was made by a query for another type, or by one with another sort.
    case otherQuery(cursor: String, query: String)
    /// A value of the cursor is none of the property's type.
    case unreadableValue(entity: String, property: String, value: String)
    /// The query sorts by a value that is not `Codable`, so no cursor can hold it.
    case valueNotCodable(entity: String, property: String)
}

extension QueryCursorError: CustomStringConvertible {
    /// What does not fit, for people.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .otherQuery(let cursor, let query):
            ErrorMessage(
                "a cursor of \(cursor) does not fit a query of \(query)",
                "use the query that made the cursor, or begin with the first page")
        case .unreadableValue(let entity, let property, let value):
            ErrorMessage(
                "\(value) in a cursor is no value of \(entity).\(property)",
                "begin with the first page")
        case .valueNotCodable(let entity, let property):
            ErrorMessage(
                "\(entity).\(property) is not Codable, so a query sorted by it has no cursors",
                "make its type Codable, or sort by another property")
        }
    }
}

extension QueryCursorError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

/// A part of a query's result.
public struct QueryPage<Entity: EntityModelProtocol>: Sendable {
    /// The entities of the page, in the query's order.
    public let entities: [Entity]
    /// The place behind the last entity of the page; on an empty page the place where it starts.
    /// Pages that follow it show what is inserted there later.
    public let end: QueryCursor?
    /// Whether the query found more behind this page.
    public let hasMore: Bool

    /// Where the next page starts, or nil where nothing follows.
    public var next: QueryCursor? { hasMore ? end : nil }

    @usableFromInline
    init(entities: [Entity], end: QueryCursor?, hasMore: Bool) {
        self.entities = entities
        self.end = end
        self.hasMore = hasMore
    }
}
