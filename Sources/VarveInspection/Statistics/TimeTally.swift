/// What is counted in a period of time.
protocol PeriodTally {
    init()
    /// Takes in what was counted in the next period.
    mutating func merge(_ next: Self)
}

/// Counts by time in at most so many equal periods, whatever the times are: where a time lies outside, periods are
/// joined in pairs until it does not.
struct TimeTally<Cell: PeriodTally> {
    private let limit: Int64
    /// The length of a period in microseconds.
    private(set) var width: Int64
    /// The number of the first cell: the time from the epoch in periods.
    private var first: Int64 = 0
    private(set) var cells: [Cell] = []
    /// Far more than people have written down, and nothing below overflows.
    private static var timeMax: Int64 { 1 << 60 }

    init(limit: Int = 96, width: Int64 = 10_000) {
        self.limit = Int64(limit)
        self.width = width
    }

    mutating func add(at time: Int64, _ change: (inout Cell) -> Void) {
        let time = min(max(time, -Self.timeMax), Self.timeMax)
        if cells.isEmpty {
            first = time.floored(by: width)
            cells = [Cell()]
        }
        while span(with: time.floored(by: width)) > limit { join() }
        let number = time.floored(by: width)
        if number < first {
            cells.insert(contentsOf: (number..<first).map { _ in Cell() }, at: 0)
            first = number
        }
        while number >= first + Int64(cells.count) { cells.append(Cell()) }
        change(&cells[Int(number - first)])
    }

    /// When the period at a position starts.
    func start(of position: Int) -> Int64 { (first + Int64(position)) * width }

    /// How many periods there are when this one is among them.
    private func span(with number: Int64) -> Int64 {
        max(number, first + Int64(cells.count) - 1) - min(number, first) + 1
    }

    private mutating func join() {
        var joined: [Cell] = []
        let newFirst = first.floored(by: 2)
        for (position, cell) in cells.enumerated() {
            let number = (first + Int64(position)).floored(by: 2) - newFirst
            if Int(number) < joined.count {
                joined[Int(number)].merge(cell)
            } else {
                joined.append(cell)
            }
        }
        (cells, first, width) = (joined, newFirst, width * 2)
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// What is counted of the life of a log.
struct PeriodCell: PeriodTally {
    typealias Amount = InspectedStatistics.Amount

    var amount = Amount()
    var types: [UInt32: (growth: Int64, stored: Double)] = [:]
    var labels: [Int: Amount] = [:]
    var authors: [Int: Amount] = [:]
    var scopes: [Int: Amount] = [:]

    mutating func merge(_ next: PeriodCell) {
        amount += next.amount
        types.merge(next.types) { ($0.growth + $1.growth, $0.stored + $1.stored) }
        for path in [\PeriodCell.labels, \.authors, \.scopes] {
            self[keyPath: path].merge(next[keyPath: path]) { first, second in
                var sum = first
                sum += second
                return sum
            }
        }
    }
}
