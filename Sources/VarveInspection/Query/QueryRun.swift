internal import VarveTables

/// Runs one query: scan, test, group, order, cut.
struct QueryRun: Sendable {
    private let query: BoundQuery
    private let state: State
    /// The aggregates of the columns and of the order, in the order in which they are written.
    private let aggregates: [BoundAggregate]
    /// How many leaves of rows a thread scans at least.
    private let leavesMin: Int
    private let usesIndexes: Bool

    /// - Parameter usesIndexes: false to scan rows that a stored index would name.
    init(
        _ query: BoundQuery, _ state: State, leavesMin: Int = RowParts.leavesMin,
        usesIndexes: Bool = true
    ) {
        self.query = query
        self.state = state
        self.leavesMin = leavesMin
        self.usesIndexes = usesIndexes
        aggregates = query.aggregates
    }

    func answer() throws(InspectionError) -> QueryAnswer {
        let lines = query.isGrouped ? try groupedLines() : try plainLines()
        return QueryAnswer(
            columns: query.columns.map(\.title),
            rows: lines.dropFirst(query.offset).map(\.cells))
    }

    private var most: Int? { query.most }

    /// What `body` returns for the rows that the query reads, part by part.
    private func map<Result: Sendable>(
        _ body: @Sendable (QueryPart.Rows) throws(InspectionError) -> Result
    ) throws(InspectionError) -> [Result] {
        let type = query.type.number
        let parts: RowParts
        switch RowSource(query, state, usesIndexes: usesIndexes) {
        case .ids(let ids): return [try body(.slots(ids.slots(of: type, in: state)))]
        case .index(let rows):
            // Others in their leaves are read too: a leaf is what is read at a time.
            let leaves = state.leavesAsStored(of: type, holding: rows.slots)
            parts = RowParts(leaves, leavesMin: max(1, leavesMin / Self.leavesPerBlock))
        case .all: parts = RowParts(state.leavesAsStored(of: type), leavesMin: leavesMin)
        }
        return try parts.map { leaves throws(InspectionError) in try body(.leaves(leaves)) }
    }

    /// Leaves that an index names are mostly in blocks of their own, each as much to read as so many of a scan.
    private static let leavesPerBlock = 16

    // MARK: Rows

    private func plainLines() throws(InspectionError) -> [QueryLine] {
        if most == 0 { return [] }
        if let lines = try linesInOrder() { return lines }
        var lines = QueryLines(query, most: most)
        let found = try map { rows throws(InspectionError) in
            try QueryPart(query, state).lines(in: rows, most: most)
        }
        for part in found { lines.add(part) }
        return lines.first
    }

    /// The first lines, read in the order of an index; nil where none has the order, or where the condition leaves out so many
    /// rows that a scan finds them sooner.
    private func linesInOrder() throws(InspectionError) -> [QueryLine]? {
        guard usesIndexes, query.soughtIDs == nil, let order = IndexedOrder(query, state) else {
            return nil
        }
        var wanted = order.wanted
        while let rows = order.firstRows(wanted, in: state) {
            let lines = try QueryPart(query, state).lines(in: .slots(rows.slots), most: most).first
            if rows.areAll || lines.count == order.wanted { return lines }
            wanted = 2 * rows.slots.count
        }
        return nil
    }

    // MARK: Groups

    private func groupedLines() throws(InspectionError) -> [QueryLine] {
        let groups = try groups()
        let evaluator = QueryEvaluator(rows: QueryRows(state, fields: query.fields))
        var lines = QueryLines(query, most: most)
        for group in groups.groups { _ = lines.add(try line(of: group, evaluator)) }
        return lines.first
    }

    private func groups() throws(InspectionError) -> QueryGroups {
        var groups = QueryGroups(aggregates.map(\.aggregate))
        if query.countsWholeType {
            // Known without a look at the rows.
            let counts = state.counts(of: query.type.number)
            groups.add(rows: query.selectsDeleted ? counts.tombstones : counts.live)
            return groups
        }
        let found = try map { rows throws(InspectionError) in
            try QueryPart(query, state).groups(in: rows, aggregates)
        }
        for part in found { try groups.add(part) }
        // Also of no rows at all there is a count.
        if query.grouping.isEmpty { groups.add(rows: 0) }
        return groups
    }

    private func line(
        of group: QueryGroup, _ evaluator: QueryEvaluator
    ) throws(InspectionError) -> QueryLine {
        var next = 0
        func own(_ expression: BoundExpression) throws(InspectionError) -> StoredContent {
            try value(of: expression, in: group, &next, evaluator)
        }
        var cells: [QueryCell] = []
        for column in query.columns {
            cells.append(QueryCell(content: try own(column.expression)))
        }
        var keys: [StoredContent] = []
        for key in query.order { keys.append(QueryValue.plain(try own(key.expression))) }
        return QueryLine(cells: cells, keys: keys, ordinal: group.first?.ordinal.rawValue ?? 0)
    }

    /// - Parameter next: the position of the next aggregate among all that the query has.
    private func value(
        of expression: BoundExpression, in group: QueryGroup, _ next: inout Int,
        _ evaluator: QueryEvaluator
    ) throws(InspectionError) -> StoredContent {
        switch expression {
        case .aggregate:
            defer { next += 1 }
            return group.tallies[next].value
        case .function(let function, let inner) where !expression.aggregates.isEmpty:
            let value = QueryValue.plain(try value(of: inner, in: group, &next, evaluator))
            return QueryEvaluator.value(of: function, value)
        case .constant(let content): return content
        default:
            guard let row = group.first else { return QueryValue.null }
            return try evaluator.stored(expression, for: row)
        }
    }
}

extension BoundExpression {
    /// Whether aggregates are enough to make the value.
    fileprivate var needsNoRow: Bool {
        switch self {
        case .aggregate, .constant: true
        case .function(_, let inner) where !aggregates.isEmpty: inner.needsNoRow
        default: false
        }
    }
}

extension BoundQuery {
    /// The aggregates of the columns and of the order, in the order in which they are written.
    var aggregates: [BoundAggregate] {
        (columns.map(\.expression) + order.map(\.expression)).flatMap(\.aggregates)
    }

    /// Whether the answer is made of aggregates of all rows, and of no row.
    var asksForTotalsAlone: Bool {
        grouping.isEmpty
            && (columns.map(\.expression) + order.map(\.expression)).allSatisfy(\.needsNoRow)
    }

    /// How many of the first lines there may be before some of them are left out; nil for all.
    var most: Int? {
        guard let limit else { return nil }
        let (sum, overflows) = offset.addingReportingOverflow(limit)
        return overflows ? nil : sum
    }

    /// Nil where the condition does not name ids.
    var soughtIDs: SoughtIDs? { condition.flatMap { SoughtIDs($0, type.idType) } }

    /// Whether nothing is asked of the rows but how many there are.
    var countsWholeType: Bool {
        isGrouped && condition == nil && grouping.isEmpty
            && aggregates.allSatisfy { $0.operand == nil }
    }
}

extension BoundExpression {
    /// The aggregates in an expression, in the order in which they are written.
    fileprivate var aggregates: [BoundAggregate] {
        switch self {
        case .aggregate(let aggregate, let operand): [(aggregate, operand)]
        case .function(_, let inner): inner.aggregates
        default: []
        }
    }
}
