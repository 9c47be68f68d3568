internal import Foundation

/// What is kept of the values of one aggregate. Null counts for nothing.
struct QueryTally: Sendable {
    private let aggregate: QueryAggregate
    private var count = 0
    private var numberCount = 0
    /// Of exact numbers: integers as far as they fit, and all else.
    private var integerSum: Int64 = 0
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
        case .least, .most: add(candidate: value)
        }
    }

    /// Adds all of some numbers, as one by one in their order.
    mutating func add(_ numbers: FieldNumbers) {
        switch numbers {
        case .integers(let integers): add(integers: integers)
        case .doubles(let values): add(doubles: values)
        }
    }

    private mutating func add(integers: [Int64]) {
        count += integers.count
        switch aggregate {
        case .count: break
        case .sum, .average:
            numberCount += integers.count
            for integer in integers {
                sum += Double(integer)
                add(integer: integer)
            }
        case .least, .most:
            let found = aggregate == .least ? integers.min() : integers.max()
            if let found { add(candidate: .signed(found)) }
        }
    }

    private mutating func add(doubles values: [Double]) {
        count += values.count
        switch aggregate {
        case .count: break
        case .sum, .average:
            numberCount += values.count
            for value in values { sum += value }
            if aggregate == .sum, !values.isEmpty { isExact = false }
        case .least, .most:
            for value in values { add(candidate: .double(value)) }
        }
    }

    /// Adds what was kept of other values.
    mutating func add(_ other: QueryTally) {
        count += other.count
        numberCount += other.numberCount
        sum += other.sum
        isExact = isExact && other.isExact
        exactSum += other.exactSum
        add(integer: other.integerSum)
        if let value = other.extreme { add(candidate: value) }
    }

    /// The first or the last in the order of sorts, whatever order the values come in.
    private mutating func add(candidate value: StoredContent) {
        guard let known = extreme else { return extreme = value }
        if case .signed(let integer) = value, case .signed(let other) = known {
            if aggregate == .least ? integer < other : integer > other { extreme = value }
            return
        }
        let replaces =
            aggregate == .least
            ? QueryValue.sorts(value, before: known) : QueryValue.sorts(known, before: value)
        if replaces == true { extreme = value }
    }

    private mutating func add(number value: StoredContent) {
        if case .signed(let integer) = value {
            numberCount += 1
            sum += Double(integer)
            return add(integer: integer)
        }
        guard let number = QueryValue.double(value) else { return }
        numberCount += 1
        sum += number
        guard aggregate == .sum, isExact else { return }
        if let exact = QueryValue.exact(value) {
            exactSum += exact
        } else {
            isExact = false
        }
    }

    private mutating func add(integer: Int64) {
        let (sum, overflows) = integerSum.addingReportingOverflow(integer)
        guard overflows else { return integerSum = sum }
        exactSum += Decimal(integerSum) + Decimal(integer)
        integerSum = 0
    }

    var value: StoredContent {
        switch aggregate {
        case .count: .signed(Int64(count))
        case .sum:
            isExact ? .decimal((exactSum + Decimal(integerSum)).description) : .double(sum)
        case .least, .most: extreme ?? QueryValue.null
        case .average: numberCount == 0 ? QueryValue.null : .double(sum / Double(numberCount))
        }
    }
}
