/// How often each entity was changed. Where there are too many, those that were changed least are forgotten.
struct ChangeTally {
    struct Key: Hashable {
        let type: UInt32
        let id: [UInt8]
    }

    struct Count {
        var changes: UInt64
        var last: TransactionID
    }

    private let limit: Int
    private(set) var counts: [Key: Count] = [:]
    /// The most that a count may be too low by.
    private(set) var missed: UInt64 = 0

    init(limit: Int = 1 << 15) { self.limit = limit }

    mutating func add(
        _ type: TypeNumber, _ id: UnsafeRawBufferPointer, in transaction: TransactionID
    ) {
        let key = Key(type: type.rawValue, id: [UInt8](id))
        if counts[key]?.changes != nil {
            counts[key]?.changes += 1
            counts[key]?.last = transaction
            return
        }
        if counts.count >= limit { forgetLeast() }
        counts[key] = Count(changes: 1, last: transaction)
    }

    private mutating func forgetLeast() {
        let sorted = counts.values.map(\.changes).sorted()
        let median = sorted[sorted.count / 2]
        missed += median
        // Each forgotten one, and each that comes back later, is too low by no more than the median.
        counts = counts.filter { $0.value.changes > median }
    }
}
