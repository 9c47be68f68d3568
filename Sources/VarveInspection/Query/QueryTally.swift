internal import Foundation

/// What is kept of the values of one aggregate. Null counts for nothing.
struct QueryTally: Sendable {
    private let aggregate: QueryAggregate
    private var count = 0
    private var numberCount = 0
    /// Of integers, as far as it fits; what was in it before is in both of the others.
    private var integerSum: Int64 = 0
    private var decimalSum = Decimal(0)
    private var floatingSum = ExactSum()
    /// Whether all numbers are integers or decimals.
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

    /// Adds all of some numbers, as one by one.
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
            for integer in integers { add(integer: integer) }
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
            for value in values { floatingSum.add(value) }
            if !values.isEmpty { isExact = false }
        case .least, .most:
            for value in values { add(candidate: .double(value)) }
        }
    }

    /// Adds what was kept of other values.
    mutating func add(_ other: QueryTally) {
        count += other.count
        numberCount += other.numberCount
        isExact = isExact && other.isExact
        decimalSum += other.decimalSum
        floatingSum.add(other.floatingSum)
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
        if replaces ?? isNearer(value, than: known) { extreme = value }
    }

    /// Of zeros, which are the same to an order, the least is the negative one, and the most the positive one.
    private func isNearer(_ value: StoredContent, than known: StoredContent) -> Bool {
        guard let value = QueryValue.double(value), let known = QueryValue.double(known),
            value == 0, known == 0
        else { return false }
        return value.sign != known.sign && (value.sign == .minus) == (aggregate == .least)
    }

    private mutating func add(number value: StoredContent) {
        if case .signed(let integer) = value {
            numberCount += 1
            return add(integer: integer)
        }
        guard let number = QueryValue.double(value) else { return }
        numberCount += 1
        floatingSum.add(number)
        guard aggregate == .sum, isExact else { return }
        if let exact = QueryValue.exact(value) {
            decimalSum += exact
        } else {
            isExact = false
        }
    }

    private mutating func add(integer: Int64) {
        let (sum, overflows) = integerSum.addingReportingOverflow(integer)
        guard overflows else { return integerSum = sum }
        decimalSum += Decimal(integerSum) + Decimal(integer)
        floatingSum.add(integerSum)
        floatingSum.add(integer)
        integerSum = 0
    }

    /// Of all numbers, rounded once.
    private var total: Double {
        var total = floatingSum
        total.add(integerSum)
        return total.value
    }

    var value: StoredContent {
        switch aggregate {
        case .count: .signed(Int64(count))
        case .sum:
            isExact ? .decimal((decimalSum + Decimal(integerSum)).description) : .double(total)
        case .least, .most: extreme ?? QueryValue.null
        case .average: numberCount == 0 ? QueryValue.null : .double(total / Double(numberCount))
        }
    }
}
