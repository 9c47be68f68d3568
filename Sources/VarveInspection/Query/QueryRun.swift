internal import VarveTables

/// Returns one query: scan, test, group, order, cut.
struct QueryRun {
    private let query: BoundQuery
    private let state: State
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

    init(_ query: BoundQuery, _ state: State) {
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

    private var slots: [Slot] {
        let type = query.type.number
        return query.selectsDeleted
            ? (0..<UInt32(truncatingIfNeeded: state.counts(of: type).slots)).map { Slot($0) }
            : state.slotsInOrder(of: type)
    }

    private func scan() -> RowScan? {
        evaluator.rows.scan(
            of: query.type, where: query.condition, deleted: query.selectsDeleted)
    }

    private func isMet(by row: QueryRows.Row) throws(InspectionError) -> Bool {
        guard !row.isAdmitted, let condition = query.condition else { return true }
        return try evaluator.holds(condition, for: row)
    }

    /// Calls `body` with each row that the condition admits, until it returns false.
    private func forEachRow(
        _ body: (QueryRows.Row) throws(InspectionError) -> Bool
    ) throws(InspectionError) {
        guard var scan = scan() else { return }
        for slot in slots {
            guard let row = try scan.row(at: slot), try isMet(by: row) else { continue }
            guard try body(row) else { return }
        }
    }

    /// How many rows the condition admits. Values are made where it cannot be decided by bytes.
    private func rowCount() throws(InspectionError) -> Int {
        guard var scan = scan() else { return 0 }
        var count = 0
        for slot in slots {
            switch try scan.verdict(at: slot) {
            case .refused: continue
            case .admitted: count += 1
            case .undecided:
                if let row = try scan.row(at: slot), try isMet(by: row) { count += 1 }
            }
        }
        return count
    }

    private func plainLines() throws(InspectionError) -> [Line] {
        var lines: [Line] = []
        // Without an order the first rows are the answer.
        let (sum, overflows) = query.offset.addingReportingOverflow(query.limit ?? .max)
        let most = overflows ? Int.max : sum
        guard most > 0 else { return [] }
        // What the last of the first rows is ordered by, once there are so many: a row behind it is not kept.
        var bound: [StoredContent]?
        try forEachRow { row throws(InspectionError) in
            func value(_ expression: BoundExpression) throws(InspectionError) -> StoredContent {
                try evaluator.stored(expression, for: row)
            }
            let keys = try keys(value)
            if let bound, sorts(keys, before: bound) != true { return true }
            lines.append(Line(cells: try cells(value), keys: keys))
            if query.order.isEmpty { return lines.count < most }
            if most < Self.sortedMax, lines.count >= 2 * most + Self.sortedMax {
                lines = Array(sorted(lines).prefix(most))
                bound = lines.last?.keys
            }
            return true
        }
        return lines
    }

    private func cells(
        _ value: (BoundExpression) throws(InspectionError) -> StoredContent
    ) throws(InspectionError) -> [QueryCell] {
        var cells: [QueryCell] = []
        for column in query.columns {
            cells.append(QueryCell(content: try value(column.expression)))
        }
        return cells
    }

    private func keys(
        _ value: (BoundExpression) throws(InspectionError) -> StoredContent
    ) throws(InspectionError) -> [StoredContent] {
        var keys: [StoredContent] = []
        for key in query.order { keys.append(QueryValue.plain(try value(key.expression))) }
        return keys
    }

    /// Nil where the order does not tell two lines apart.
    private func sorts(_ first: [StoredContent], before second: [StoredContent]) -> Bool? {
        for (position, key) in query.order.enumerated() {
            if let isBefore = QueryValue.sorts(first[position], before: second[position]) {
                return isBefore != key.isDescending
            }
        }
        return nil
    }

    private func sorted(_ lines: [Line]) -> [Line] {
        lines.enumerated().sorted { first, second in
            sorts(first.element.keys, before: second.element.keys)
                ?? (first.offset < second.offset)
        }.map(\.element)
    }

    // MARK: Groups

    private func groupedLines() throws(InspectionError) -> [Line] {
        var positions: [String: Int] = [:]
        var groups: [QueryGroup] = []
        let kinds = aggregates.map(\.aggregate)
        if query.grouping.isEmpty {
            if aggregates.allSatisfy({ $0.operand == nil }) {
                var group = QueryGroup(first: nil, kinds)
                group.add(rows: try rowCount())
                return [try line(of: group)]
            }
            // Also of no rows at all there is a count.
            groups.append(QueryGroup(first: nil, kinds))
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
                groups.append(QueryGroup(first: row, kinds))
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
        func own(_ expression: BoundExpression) throws(InspectionError) -> StoredContent {
            try value(of: expression, in: group, &next)
        }
        let cells = try cells(own)
        return Line(cells: cells, keys: try keys(own))
    }

    /// - Parameter next: the position of the next aggregate among all that the query has.
    private func value(
        of expression: BoundExpression, in group: QueryGroup, _ next: inout Int
    ) throws(InspectionError) -> StoredContent {
        switch expression {
        case .aggregate:
            defer { next += 1 }
            return group.tallies[next].value
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
