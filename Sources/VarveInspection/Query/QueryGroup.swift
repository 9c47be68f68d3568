internal import Foundation

/// The rows that share the values of a grouping, as far as aggregates need them.
struct QueryGroup {
    /// The first row, of which the grouped expressions are read.
    let first: QueryRows.Row?
    private(set) var tallies: [QueryTally]

    init(first: QueryRows.Row?, count: Int) {
        self.first = first
        tallies = Array(repeating: QueryTally(), count: count)
    }

    mutating func add(_ values: [StoredContent?]) {
        for (position, value) in values.enumerated() { tallies[position].add(value) }
    }
}

/// What is kept of the values of one aggregate. Null counts for nothing.
struct QueryTally {
    private var count = 0
    private var numberCount = 0
    private var exactSum = Decimal(0)
    private var sum = 0.0
    private var isExact = true
    private var least: StoredContent?
    private var most: StoredContent?

    /// - Parameter value: nil where rows are counted and not their values.
    mutating func add(_ value: StoredContent?) {
        guard let value else { return count += 1 }
        guard !QueryValue.isNull(value) else { return }
        count += 1
        if let number = QueryValue.double(value) {
            numberCount += 1
            sum += number
            if let exact = QueryValue.exact(value) { exactSum += exact } else { isExact = false }
        }
        // The first and the last in the order of sorts, whatever order the rows came in.
        if least.map({ QueryValue.sorts(value, before: $0) == true }) ?? true { least = value }
        if most.map({ QueryValue.sorts($0, before: value) == true }) ?? true { most = value }
    }

    func value(of aggregate: QueryAggregate) -> StoredContent {
        switch aggregate {
        case .count: .signed(Int64(count))
        case .sum: isExact ? .decimal(exactSum.description) : .double(sum)
        case .least: least ?? QueryValue.null
        case .most: most ?? QueryValue.null
        case .average: numberCount == 0 ? QueryValue.null : .double(sum / Double(numberCount))
        }
    }
}
