/// The rows that share the values of a grouping, as far as aggregates need them.
struct QueryGroup: Sendable {
    /// What the rows share.
    let key: String
    /// The first row, of which the grouped expressions are read.
    private(set) var first: QueryRow?
    private(set) var tallies: [QueryTally]

    init(key: String, _ aggregates: [QueryAggregate]) {
        self.key = key
        tallies = aggregates.map(QueryTally.init)
    }

    /// Takes a row for the first if it comes before that.
    mutating func meet(_ row: QueryRow) throws(InspectionError) {
        if let ordinal = first?.ordinal, ordinal <= row.ordinal { return }
        first = try row.kept()
    }

    /// - Parameter value: nil where rows are counted and not their values.
    mutating func add(_ value: StoredContent?, at position: Int) { tallies[position].add(value) }

    mutating func add(_ numbers: FieldNumbers, at position: Int) { tallies[position].add(numbers) }

    mutating func add(rows count: Int, at position: Int) { tallies[position].add(rows: count) }

    /// Rows of which no values are asked for.
    mutating func add(rows count: Int) {
        for position in tallies.indices { tallies[position].add(rows: count) }
    }

    /// Adds rows that were scanned elsewhere.
    mutating func add(_ other: QueryGroup) throws(InspectionError) {
        if let row = other.first { try meet(row) }
        for position in tallies.indices { tallies[position].add(other.tallies[position]) }
    }
}
