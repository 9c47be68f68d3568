internal import Foundation

/// The rows that share the values of a grouping, as far as aggregates need them.
struct QueryGroup {
    /// The first row, of which the grouped expressions are read.
    let first: QueryRows.Row?
    private(set) var tallies: [QueryTally]

    init(first: QueryRows.Row?, _ aggregates: [QueryAggregate]) {
        self.first = first
        tallies = aggregates.map(QueryTally.init)
    }

    mutating func add(_ values: [StoredContent?]) {
        for (position, value) in values.enumerated() { tallies[position].add(value) }
    }

    /// Rows of which no values are asked for.
    mutating func add(rows count: Int) {
        for position in tallies.indices { tallies[position].add(rows: count) }
    }
}

/// What is kept of the values of one aggregate. Null counts for nothing.
struct QueryTally {
    private let aggregate: QueryAggregate
    private var count = 0
    private var numberCount = 0
    private var exactSum = Decimal(0)
    private var sum = 0.0
    private var isExact = true
    /// The least or the most of the values.
    private var extreme: StoredContent?

    init(_ aggregate: QueryAggregate) { self.aggregate = aggregate }

    mutating func add(rows count: Int) { self.count += count }

    /// - Parameter value: nil where rows are counted and not their values.
    mutating func add(_ value: StoredContent?) {
        guard let value else { return count += 1 }
        guard !QueryValue.isNull(value) else { return }
        count += 1
        switch aggregate {
        case .count: break
        case .sum, .average: add(number: value)
        // The first or the last in the order of sorts, whatever order the rows came in.
        case .least:
            if extreme.map({ QueryValue.sorts(value, before: $0) == true }) ?? true {
                extreme = value
            }
        case .most:
            if extreme.map({ QueryValue.sorts($0, before: value) == true }) ?? true {
                extreme = value
            }
        }
    }

    private mutating func add(number value: StoredContent) {
        guard let number = QueryValue.double(value) else { return }
        numberCount += 1
        sum += number
        guard aggregate == .sum, isExact else { return }
        if let exact = QueryValue.exact(value) { exactSum += exact } else { isExact = false }
    }

    var value: StoredContent {
        switch aggregate {
        case .count: .signed(Int64(count))
        case .sum: isExact ? .decimal(exactSum.description) : .double(sum)
        case .least, .most: extreme ?? QueryValue.null
        case .average: numberCount == 0 ? QueryValue.null : .double(sum / Double(numberCount))
        }
    }
}
