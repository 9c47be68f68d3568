internal import VarveEvents

/// The bytes of the transactions that were appended last: taking one of them back reads no file.
///
/// Two generations, of which the older goes when the newer is full, so that memory stays bounded and
/// nothing is moved. Belongs to the holder of the writer's turn, and to what logs for him.
final class RecentTransactions {
    /// Transactions without a gap, one behind the other.
    private struct Generation {
        var first: UInt64 = 0
        var ends: ContiguousArray<Int> = []
        var bytes: ContiguousArray<UInt8> = []

        func with<Result>(
            _ transaction: TransactionID, _ body: (UnsafeRawBufferPointer) throws -> Result
        ) rethrows -> Result? {
            let number = transaction.rawValue
            guard number >= first, number - first < UInt64(ends.count) else { return nil }
            let position = Int(number - first)
            let start = position == 0 ? 0 : ends[position - 1]
            return try bytes.withUnsafeBytes { bytes in
                try body(UnsafeRawBufferPointer(rebasing: bytes[start..<ends[position]]))
            }
        }

        mutating func restart(at transaction: UInt64) {
            first = transaction
            ends.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    /// How much each generation holds: thousands of small edits.
    private static let generationBytesMax = 512 << 10

    // Every commit touches these.
    @exclusivity(unchecked) private var newer = Generation()
    @exclusivity(unchecked) private var older = Generation()

    /// Keeps a transaction that was appended.
    func note(_ transaction: TransactionID, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.generationBytesMax else { return removeAll() }
        if transaction.rawValue != newer.first + UInt64(newer.ends.count) {
            removeAll()
            newer.restart(at: transaction.rawValue)
        } else if newer.bytes.count + bytes.count > Self.generationBytesMax {
            swap(&newer, &older)
            newer.restart(at: transaction.rawValue)
        }
        newer.bytes.append(contentsOf: bytes)
        newer.ends.append(newer.bytes.count)
    }

    /// Forgets all: what follows is another log, or one that others have written to.
    func removeAll() {
        newer = Generation()
        older = Generation()
    }

    /// Whether a transaction is kept, and then all that came behind it.
    func holds(_ transaction: TransactionID) -> Bool { with(transaction) { _ in } != nil }

    /// Lets the body look at a transaction; nil where it is not kept.
    func with<Result>(
        _ transaction: TransactionID, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        if let result = try newer.with(transaction, body) { return result }
        return try older.with(transaction, body)
    }
}
