/// One row of a result with what it is ordered by.
struct QueryLine: Sendable {
    let cells: [QueryCell]
    let keys: [StoredContent]
    /// The place of its row in the order of the type; of a group that of the first row.
    let ordinal: UInt64
}

/// The lines of a result that come first, as they are found.
struct QueryLines: Sendable {
    private let isDescending: [Bool]
    /// How many of the first lines are wanted; nil for all.
    private let most: Int?
    private var lines: [QueryLine] = []
    /// The last of the first lines, once there are so many: what comes behind it is not kept.
    private(set) var last: QueryLine?

    /// How many more than twice the first lines are kept before they are sorted.
    private static let slack = 64

    /// - Parameter most: how many of the first lines are wanted.
    init(_ query: BoundQuery, most: Int?) {
        isDescending = query.order.map(\.isDescending)
        self.most = most
    }

    /// Whether a line with these keys may be among the first.
    func admits(_ keys: [StoredContent], _ ordinal: UInt64) -> Bool {
        last.map { isBefore(keys, ordinal, $0.keys, $0.ordinal) } ?? true
    }

    /// Returns whether ``last`` is another one since then.
    mutating func add(_ line: QueryLine) -> Bool {
        lines.append(line)
        guard let most, (lines.count - Self.slack) / 2 >= most else { return false }
        lines = first
        last = lines.last
        return last != nil
    }

    mutating func add(_ other: QueryLines) { lines += other.lines }

    /// The first lines, in their order.
    var first: [QueryLine] {
        let sorted = lines.sorted { isBefore($0.keys, $0.ordinal, $1.keys, $1.ordinal) }
        return most.map { Array(sorted.prefix($0)) } ?? sorted
    }

    private func isBefore(
        _ keys: [StoredContent], _ ordinal: UInt64, _ others: [StoredContent], _ other: UInt64
    ) -> Bool {
        for position in keys.indices {
            if let isBefore = QueryValue.sorts(keys[position], before: others[position]) {
                return isBefore != isDescending[position]
            }
        }
        return ordinal < other
    }
}
