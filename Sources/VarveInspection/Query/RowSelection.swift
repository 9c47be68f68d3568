internal import VarveTables

/// The rows of a batch that its bytes do not refuse, in the order of the batch. Its memory is used again for the next batch.
///
/// Conditions are tested on all rows together; see ``FieldPlaces``. A row that has a page of its own is tested alone, and so
/// are all where one cannot be read as the others are.
final class RowSelection {
    /// In the batch.
    private(set) var rows = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// Of each of the rows: whether it meets the condition.
    private(set) var verdicts = UnsafeBufferPointer<RowVerdict>(start: nil, count: 0)

    private let places: FieldPlaces
    private let condition: RowTest?
    /// Whether there is a condition, which bytes may not suffice for.
    private let hasCondition: Bool
    private let takesDeleted: Bool
    private var filter: RowFilter?
    /// What may come before others in the order of the query; nil where any row may.
    private var front: (test: RowTest, filter: RowFilter)?
    private var end: Ordinal?
    private let type: TypeDefinition
    @exclusivity(unchecked) private var memory = Memory(capacity: 512)

    private struct Memory {
        let capacity: Int
        let rows: UnsafeMutablePointer<Int32>
        let verdicts: RowVerdicts
        /// Of the rows that are tested together.
        let tested: RowVerdicts
        let settled: UnsafeMutablePointer<Int32>

        init(capacity: Int) {
            self.capacity = capacity
            rows = .allocate(capacity: capacity)
            verdicts = .allocate(capacity: capacity)
            tested = .allocate(capacity: capacity)
            settled = .allocate(capacity: capacity)
        }

        func deallocate() {
            rows.deallocate()
            verdicts.deallocate()
            tested.deallocate()
            settled.deallocate()
        }
    }

    init(_ type: TypeDefinition, where condition: BoundExpression?, deleted: Bool) {
        self.type = type
        places = FieldPlaces(type)
        hasCondition = condition != nil
        self.condition = condition.flatMap { RowTest($0, of: type) }
        filter = self.condition.map { RowFilter($0, of: type) }
        takesDeleted = deleted
    }

    deinit { memory.deallocate() }

    /// Leaves out from now on what is not in a front.
    func restrict(to front: RowScan.Front) {
        switch front {
        case .meeting(let test): self.front = (test, RowFilter(test, of: type))
        case .before(let ordinal): end = ordinal
        }
    }

    // MARK: Selecting

    func select(_ batch: RowBatch) throws(CodecError) {
        if memory.capacity < batch.count {
            memory.deallocate()
            memory = Memory(capacity: batch.count)
        }
        var count = candidates(in: batch)
        memory.verdicts.initialize(repeating: hasCondition ? .open : .admitted, count: count)
        // The front first, which refuses more: what is broken in fields of the condition is found of rows in it alone.
        if let test = front?.test {
            count = try refuse(batch, count, test, isFront: true)
        }
        if let condition {
            count = try refuse(batch, count, condition, isFront: false)
        }
        rows = UnsafeBufferPointer(start: memory.rows, count: count)
        verdicts = UnsafeBufferPointer(start: memory.verdicts, count: count)
    }

    private func candidates(in batch: RowBatch) -> Int {
        let rows = memory.rows
        if end == nil, batch.deletedCount == (takesDeleted ? batch.count : 0) {
            for index in 0..<batch.count { rows[index] = Int32(truncatingIfNeeded: index) }
            return batch.count
        }
        var count = 0
        for index in 0..<batch.count where batch.isDeleted(index) == takesDeleted {
            if let end, batch.ordinal(index) >= end { continue }
            rows[count] = Int32(truncatingIfNeeded: index)
            count += 1
        }
        return count
    }

    /// Leaves those of the first rows that a test does not refuse. Returns how many they are.
    ///
    /// - Parameter isFront: whether it is the test of the front, which says nothing of the condition.
    private func refuse(
        _ batch: RowBatch, _ count: Int, _ test: RowTest, isFront: Bool
    ) throws(CodecError) -> Int {
        let (rows, verdicts, tested) = (memory.rows, memory.verdicts, memory.tested)
        places.begin(batch, UnsafeBufferPointer(start: rows, count: count))
        let areTested = places.count > 0 && test.test(places, tested)
        if !areTested || places.count < count {
            try testOthers(batch, count, areTested, isFront: isFront)
        }
        var kept = 0
        for position in 0..<count {
            // Without a branch, which would be predicted badly.
            rows[kept] = rows[position]
            verdicts[kept] = isFront ? verdicts[position] : tested[position]
            kept &+= tested[position] == .refused ? 0 : 1
        }
        return kept
    }

    /// Makes the verdicts of rows that were not tested together.
    private func testOthers(
        _ batch: RowBatch, _ count: Int, _ areTested: Bool, isFront: Bool
    ) throws(CodecError) {
        var next = places.count
        // From the end on: the verdicts that there are move to where their rows are.
        for position in (0..<count).reversed() {
            let row = Int(memory.rows[position])
            if areTested, batch.rows[row].baseAddress != nil {
                next -= 1
                memory.tested[position] = memory.tested[next]
            } else {
                memory.tested[position] = try verdictOfOne(batch, row, isFront: isFront)
            }
        }
    }

    private func verdictOfOne(
        _ batch: RowBatch, _ row: Int, isFront: Bool
    ) throws(CodecError) -> RowVerdict {
        let bytes = try batch.bytes(of: row)
        return RowVerdict(isFront ? try front?.filter.admits(bytes) : try filter?.admits(bytes))
    }

    // MARK: Values

    /// The places of the fields of those rows that are known to meet the condition and whose bytes are at hand.
    ///
    /// - Parameter others: set to the others, by their positions in the batch.
    func settled(_ batch: RowBatch, others: inout [Int]) -> FieldPlaces {
        others.removeAll(keepingCapacity: true)
        let (spans, settled) = (batch.rows, memory.settled)
        var count = 0
        for (row, verdict) in zip(rows, verdicts) {
            if verdict == .admitted, spans[Int(row)].baseAddress != nil {
                settled[count] = row
                count &+= 1
            } else {
                others.append(Int(row))
            }
        }
        places.begin(batch, UnsafeBufferPointer(start: settled, count: count))
        return places
    }
}
