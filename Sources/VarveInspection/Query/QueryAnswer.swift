internal import VarveTables
internal import VarveText

/// The rows that a query found.
public struct QueryAnswer: Sendable {
    /// The titles of the columns.
    public let columns: [String]
    /// A value for each column.
    public let rows: [[QueryCell]]
}

/// One value of a result.
public struct QueryCell: Sendable {
    package let content: StoredContent

    /// As JSON on one line; see ``InspectedValue/json``.
    public var json: String { content.json }

    /// Whether there is no value.
    public var isNull: Bool { QueryValue.isNull(content) }

    /// Whether the value is a number, so that a table aligns it on the right.
    public var isNumber: Bool { QueryValue.double(QueryValue.plain(content)) != nil }
}

/// A query in the language of `varve query`.
public struct InspectionQuery: Sendable {
    let syntax: QuerySyntax

    /// - Throws: ``QueryError`` with the place in the text, where the text is no query.
    public init(_ text: String) throws(QueryError) {
        syntax = try QueryParser.parse(text)
    }
}

extension Inspection {
    /// Runs a query on the state that the inspection shows. Reads every entity of the type, those whose ids the condition
    /// names, or those that a stored index names, and of relations what the query names; O(n log n) where it orders.
    public func answer(_ query: InspectionQuery) throws(QueryFailure) -> QueryAnswer {
        try reading(query) { bound, state throws(InspectionError) in
            try QueryRun(bound, state).answer()
        }
    }

    /// How a query is run: what is read, tested, grouped and ordered, a line each.
    public func explain(_ query: InspectionQuery) throws(QueryFailure) -> [String] {
        try reading(query) { bound, state in Self.explanation(of: bound, state) }
    }

    private static func explanation(of bound: BoundQuery, _ state: State) -> [String] {
        let read = bound.fields[bound.type.number, default: []].sorted()
        var (lines, isScan) = bound.sourceSteps(in: state)
        if !read.isEmpty {
            let names = read.map { "'\(bound.type.fields[$0].name)'" }
            lines.append("decode " + names.joined(separator: ", "))
        }
        for (type, fields) in bound.fields.sorted(by: { $0.key < $1.key })
        where type != bound.type.number {
            let name = state.catalog.definition(of: type)?.name ?? "\(type)"
            lines.append("look up \(name) by relation, \(fields.count.counted("field")) of each")
        }
        if let condition = bound.condition {
            let isFast = isScan && RowFilter(condition, of: bound.type) != nil
            lines.append(
                "test each against the condition" + (isFast ? ", by its bytes" : ""))
        }
        if bound.isGrouped {
            let values = bound.grouping.count.counted("value")
            lines.append(bound.grouping.isEmpty ? "make one group of all" : "group by \(values)")
        }
        if !bound.order.isEmpty {
            lines.append("sort by \(bound.order.count.counted("value")), stable")
        }
        if bound.offset > 0 { lines.append("leave out the first \(bound.offset)") }
        if let limit = bound.limit {
            lines.append("keep the first \(limit)")
        }
        return lines
    }

    /// Runs what a query is about, with the state that the inspection shows; see ``reading(_:)``.
    func reading<Result>(
        _ query: InspectionQuery,
        _ body: (BoundQuery, State) throws(InspectionError) -> Result
    ) throws(QueryFailure) -> Result {
        var unfit: QueryError?
        let result: Result?
        do throws(InspectionError) {
            result = try reading { state throws(InspectionError) -> Result? in
                var binder = QueryBinder(state.catalog)
                let bound: BoundQuery
                do throws(QueryError) {
                    bound = try binder.bind(query.syntax)
                } catch {
                    unfit = error
                    return nil
                }
                return try body(bound, state)
            }
        } catch {
            throw .inspection(error)
        }
        if let result { return result }
        guard let unfit else { preconditionFailure("a query without a result has an error") }
        throw .query(unfit)
    }
}
