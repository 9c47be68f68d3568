internal import VarveTables

/// What a query asks of a group.
typealias BoundAggregate = (aggregate: QueryAggregate, operand: BoundExpression?)

/// Scans rows of the type of a query. Belongs to one thread.
struct QueryPart {
    /// Which rows.
    enum Rows {
        case leaves(ArraySlice<StoredLeaf>)
        /// In ascending order.
        case slots([Slot])
    }

    private let query: BoundQuery
    private let evaluator: QueryEvaluator
    /// The properties that rows are grouped by; nil where something else is needed to tell the groups.
    private let groupedFields: [Int]?

    init(_ query: BoundQuery, _ state: State) {
        self.query = query
        evaluator = QueryEvaluator(rows: QueryRows(state, fields: query.fields))
        let fields = query.grouping.compactMap { expression -> Int? in
            guard case .field(let position) = expression else { return nil }
            return position
        }
        groupedFields = fields.count == query.grouping.count ? fields : nil
    }

    private func scan() -> RowScan? {
        evaluator.rows.scan(
            of: query.type, where: query.condition, deleted: query.selectsDeleted)
    }

    /// As ``RowScan/forEachRow(in:_:)``.
    private func forEachRow(
        in rows: Rows, _ body: (QueryRow) throws(InspectionError) -> RowScan.Front?
    ) throws(InspectionError) {
        switch rows {
        case .leaves(let leaves): try scan()?.forEachRow(in: leaves, body)
        case .slots(let slots):
            for slot in slots {
                guard let row = try evaluator.rows.row(of: query.type.number, at: slot),
                    row.isDeleted == query.selectsDeleted
                else { continue }
                _ = try body(row)
            }
        }
    }

    private func isMet(by row: QueryRow) throws(InspectionError) -> Bool {
        guard !row.isAdmitted, let condition = query.condition else { return true }
        return try evaluator.holds(condition, for: row)
    }

    // MARK: Rows

    /// The rows that the condition admits, as far as they may be among the first.
    func lines(in rows: Rows, most: Int?) throws(InspectionError) -> QueryLines {
        var lines = QueryLines(query, most: most)
        try forEachRow(in: rows) { row throws(InspectionError) in
            guard try isMet(by: row) else { return nil }
            var keys: [StoredContent] = []
            for key in query.order {
                keys.append(try evaluator.value(of: key.expression, for: row))
            }
            guard lines.admits(keys, row.ordinal.rawValue),
                lines.add(try line(of: row, keys: keys)), let last = lines.last
            else { return nil }
            return front(before: last)
        }
        return lines
    }

    private func line(
        of row: QueryRow, keys: [StoredContent]
    ) throws(InspectionError) -> QueryLine {
        var cells: [QueryCell] = []
        cells.reserveCapacity(query.columns.count)
        for column in query.columns {
            cells.append(QueryCell(content: try evaluator.stored(column.expression, for: row)))
        }
        return QueryLine(cells: cells, keys: keys, ordinal: row.ordinal.rawValue)
    }

    /// The rows that may come before a line, as far as bytes tell; nil where they do not.
    private func front(before line: QueryLine) -> RowScan.Front? {
        guard let key = query.order.first else { return .before(Ordinal(line.ordinal)) }
        guard case .field(let position) = key.expression else { return nil }
        // Null and NaN, which an order has a place for, are neither less nor greater: they meet it too.
        let comparison: QueryComparison = key.isDescending ? .less : .greater
        return FieldTest(position, query.type, comparison, line.keys[0])
            .map { .meeting(.not(.field($0))) }
    }

    // MARK: Groups

    func groups(
        in rows: Rows, _ aggregates: [BoundAggregate]
    ) throws(InspectionError) -> QueryGroups {
        var groups = QueryGroups(aggregates.map(\.aggregate))
        if query.grouping.isEmpty, aggregates.allSatisfy({ $0.operand == nil }) {
            groups.add(rows: try rowCount(in: rows))
            return groups
        }
        if case .leaves(let leaves) = rows, query.asksForTotalsAlone,
            let totals = FieldTotals(aggregates, query.type), let scan = scan()
        {
            try add(totals, in: leaves, scan, to: &groups)
            return groups
        }
        let only = query.grouping.isEmpty ? groups.position(of: "") : nil
        try forEachRow(in: rows) { row throws(InspectionError) in
            guard try isMet(by: row) else { return nil }
            let position = if let only { only } else { try position(of: row, in: &groups) }
            try groups.update(position, row) { group throws(InspectionError) in
                for position in aggregates.indices {
                    group.add(try value(of: aggregates[position].operand, for: row), at: position)
                }
            }
            return nil
        }
        return groups
    }

    /// Of all rows together, many at a time.
    private func add(
        _ totals: FieldTotals, in leaves: ArraySlice<StoredLeaf>, _ scan: borrowing RowScan,
        to groups: inout QueryGroups
    ) throws(InspectionError) {
        var group = QueryGroup(key: "", totals.aggregates.map(\.aggregate))
        try scan.forEachSettled(in: leaves) { rows in
            totals.add(rows, to: &group)
        } other: { row throws(InspectionError) in
            guard try isMet(by: row) else { return }
            for (position, aggregate) in totals.aggregates.enumerated() {
                group.add(try value(of: aggregate.operand, for: row), at: position)
            }
        }
        try groups.add(group)
    }

    /// Nil where rows are counted and not their values.
    private func value(
        of operand: BoundExpression?, for row: QueryRow
    ) throws(InspectionError) -> StoredContent? {
        guard let operand else { return nil }
        guard case .field(let position) = operand else {
            return try evaluator.value(of: operand, for: row)
        }
        return QueryValue.plain(try row.value(at: position))
    }

    private func rowCount(in rows: Rows) throws(InspectionError) -> Int {
        var count = 0
        switch rows {
        case .leaves(let leaves):
            guard let scan = scan() else { return 0 }
            count = try scan.count(in: leaves) { row throws(InspectionError) in
                try isMet(by: row)
            }
        case .slots:
            try forEachRow(in: rows) { row throws(InspectionError) in
                count += try isMet(by: row) ? 1 : 0
                return nil
            }
        }
        return count
    }

    private func position(
        of row: QueryRow, in groups: inout QueryGroups
    ) throws(InspectionError) -> Int {
        var hasher = Hasher()
        guard let fields = groupedFields, try row.hash(fields, into: &hasher) else {
            return groups.position(of: try key(of: row))
        }
        let hash = hasher.finalize()
        if let known = try groups.position(of: row, hash: hash, by: fields) { return known }
        let position = groups.position(of: try key(of: row))
        try groups.note(row, hash: hash, by: fields, position: position)
        return position
    }

    private func key(of row: QueryRow) throws(InspectionError) -> String {
        var key = ""
        for expression in query.grouping {
            key += try evaluator.value(of: expression, for: row).json + "\u{0}"
        }
        return key
    }
}
