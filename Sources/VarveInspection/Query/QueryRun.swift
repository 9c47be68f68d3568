/// Returns one query: scan, test, group, order, cut.
struct QueryRun {
    private let query: BoundQuery
    private let state: ReplayState
    private let evaluator: QueryEvaluator
    /// The aggregates of the columns and of the order, in the order in which they are written.
    private let aggregates: [(aggregate: QueryAggregate, operand: BoundExpression?)]

    /// With more rows than that at the front, all are kept until they are sorted.
    private static let sortedMax = 10_000

    /// One row of the answer with what it is ordered by.
    private struct Line {
        let cells: [QueryCell]
        let keys: [StoredContent]
    }

    init(_ query: BoundQuery, _ state: ReplayState) {
        self.query = query
        self.state = state
        evaluator = QueryEvaluator(rows: QueryRows(state, fields: query.fields))
        aggregates = (query.columns.map(\.expression) + query.order.map(\.expression))
            .flatMap(\.aggregates)
    }

    func answer() throws(InspectionError) -> QueryAnswer {
        var lines = query.isGrouped ? try groupedLines() : try plainLines()
        if !query.order.isEmpty { lines = sorted(lines) }
        let kept = lines.dropFirst(query.offset).prefix(query.limit ?? lines.count)
        return QueryAnswer(columns: query.columns.map(\.title), rows: kept.map(\.cells))
    }

    // MARK: Rows

    /// Calls `body` with each row that the condition admits, until it returns false.
    private func forEachRow(
        _ body: (QueryRows.Row) throws(InspectionError) -> Bool
    ) throws(InspectionError) {
        let type = query.type.number
        let slots =
            query.selectsDeleted
            ? Array(0..<UInt32(truncatingIfNeeded: state.counts(of: type).slots))
            : state.slotsInOrder(of: type)
        let filter = query.condition.flatMap { RowFilter($0, of: query.type) }
        for slot in slots {
            guard let row = try evaluator.rows.row(of: type, at: slot, filter),
                row.isDeleted == query.selectsDeleted
            else { continue }
            if !row.isAdmitted, let condition = query.condition,
                try !evaluator.holds(condition, for: row)
            {
                continue
            }
            guard try body(row) else { return }
        }
    }

    private func plainLines() throws(InspectionError) -> [Line] {
        var lines: [Line] = []
        // Without an order the first rows are the answer.
        let (sum, overflows) = query.offset.addingReportingOverflow(query.limit ?? .max)
        let most = overflows ? Int.max : sum
        guard most > 0 else { return [] }
        try forEachRow { row throws(InspectionError) in
            lines.append(
                try line { expression throws(InspectionError) in
                    try evaluator.stored(expression, for: row)
                })
            if query.order.isEmpty { return lines.count < most }
            // With an order only the first ones are kept, and sorted now and then.
            if most < Self.sortedMax, lines.count >= 2 * most + Self.sortedMax {
                lines = Array(sorted(lines).prefix(most))
            }
            return true
        }
        return lines
    }

    private func line(
        _ value: (BoundExpression) throws(InspectionError) -> StoredContent
    ) throws(InspectionError) -> Line {
        var cells: [QueryCell] = []
        for column in query.columns {
            cells.append(QueryCell(content: try value(column.expression)))
        }
        var keys: [StoredContent] = []
        for key in query.order { keys.append(QueryValue.plain(try value(key.expression))) }
        return Line(cells: cells, keys: keys)
    }

    private func sorted(_ lines: [Line]) -> [Line] {
        let order = query.order
        return lines.enumerated().sorted { first, second in
            for (position, key) in order.enumerated() {
                let (one, other) = (first.element.keys[position], second.element.keys[position])
                if let isBefore = QueryValue.sorts(one, before: other) {
                    return isBefore != key.isDescending
                }
            }
            return first.offset < second.offset
        }.map(\.element)
    }

    // MARK: Groups

    private func groupedLines() throws(InspectionError) -> [Line] {
        var positions: [String: Int] = [:]
        var groups: [QueryGroup] = []
        if query.grouping.isEmpty {
            // Also of no rows at all there is a count.
            groups.append(QueryGroup(first: nil, count: aggregates.count))
            positions[""] = 0
        }
        try forEachRow { row throws(InspectionError) in
            var key = ""
            for expression in query.grouping {
                key += try evaluator.value(of: expression, for: row).json + "\u{0}"
            }
            let position = positions[key] ?? groups.count
            if position == groups.count {
                positions[key] = position
                groups.append(QueryGroup(first: row, count: aggregates.count))
            }
            var values: [StoredContent?] = []
            for (_, operand) in aggregates {
                guard let operand else {
                    values.append(nil)
                    continue
                }
                values.append(try evaluator.value(of: operand, for: row))
            }
            groups[position].add(values)
            return true
        }
        var lines: [Line] = []
        for group in groups { lines.append(try line(of: group)) }
        return lines
    }

    private func line(of group: QueryGroup) throws(InspectionError) -> Line {
        var next = 0
        return try line { expression throws(InspectionError) in
            try value(of: expression, in: group, &next)
        }
    }

    /// - Parameter next: the position of the next aggregate among all that the query has.
    private func value(
        of expression: BoundExpression, in group: QueryGroup, _ next: inout Int
    ) throws(InspectionError) -> StoredContent {
        switch expression {
        case .aggregate(let aggregate, _):
            defer { next += 1 }
            return group.tallies[next].value(of: aggregate)
        case .function(let function, let inner) where !expression.aggregates.isEmpty:
            let value = QueryValue.plain(try value(of: inner, in: group, &next))
            return QueryEvaluator.value(of: function, value)
        case .constant(let content): return content
        default:
            guard let row = group.first else { return QueryValue.null }
            return try evaluator.stored(expression, for: row)
        }
    }
}

extension BoundExpression {
    /// The aggregates in an expression, in the order in which they are written.
    fileprivate var aggregates: [(aggregate: QueryAggregate, operand: BoundExpression?)] {
        switch self {
        case .aggregate(let aggregate, let operand): [(aggregate, operand)]
        case .function(_, let inner): inner.aggregates
        default: []
        }
    }
}
