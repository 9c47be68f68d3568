/// What is called with a row's slot and address; returns whether to go on.
@usableFromInline typealias RowVisit = (UInt32, UnsafeRawPointer) -> Bool

/// What rows are visited for.
@frozen @usableFromInline
enum RowUse {
    /// To keep their addresses.
    case keeping
    /// To read each within its call.
    case transient
    /// To be counted: no call is made, and no row where its bytes tell whether it meets the condition.
    case count
}

/// A condition, and what can be told of it by the bytes of a row.
@usableFromInline
struct RowTest {
    @usableFromInline let matches: @Sendable (UnsafeRawPointer) -> Bool
    /// Of a row that it refuses no row is made.
    @usableFromInline let bytes: PackedTextTest

    init(_ condition: RowCondition, _ bytes: PackedTextTest) {
        matches = condition.matches
        self.bytes = bytes
    }
}

// Rows are visited at their addresses by code that does not know their type, and so is compiled once. It calls a closure
// for each row: that takes a nanosecond or two.
extension AnyTable {
    /// Calls `body` with the row at a slot, or returns nil where it holds none. The address is good for the call
    /// alone.
    ///
    /// - Parameter isOnce: whether all rows are read and none of them again, so that a packed leaf is to stay one.
    @discardableResult
    final func withRawRow<Result>(
        at slot: Slot, isOnce: Bool = false, _ body: (UnsafeRawPointer) -> Result
    ) -> Result? {
        guard let place = placeForReading(at: slot, isOnce: isOnce) else { return nil }
        var result: Result?
        _ = withRow(at: place) {
            result = body($0)
            return true
        }
        return result
    }

    /// Lets the body work on the address of the row at a slot, or on nothing.
    package final func withRow(at slot: Slot, _ body: (UnsafeRawPointer?) -> Void) {
        if withRawRow(at: slot, body) == nil { body(nil) }
    }

    /// Calls `body` with the row at each slot that has one, until it returns false.
    @usableFromInline
    final func visitRows(
        at slots: ContiguousArray<UInt32>, meeting test: RowTest? = nil, isTransient: Bool,
        _ body: RowVisit
    ) {
        _ = slots.withUnsafeBufferPointer {
            visit($0, test, for: isTransient ? .transient : .keeping, body)
        }
    }

    /// Calls `body` with the row at each slot that has one, until it returns false. For a visit that probably ends early:
    /// rows are prefetched in chunks, which grow. The addresses are good for the calls alone.
    final func visitInChunks(_ slots: some Sequence<UInt32>, _ body: RowVisit) {
        var chunk = ContiguousArray<UInt32>()
        var (count, goesOn) = (8, true)
        func visit() {
            visitRows(at: chunk, isTransient: true) { slot, row in
                goesOn = body(slot, row)
                return goesOn
            }
            chunk.removeAll(keepingCapacity: true)
            count = min(2 * count, 512)
        }
        for slot in slots {
            chunk.append(slot)
            if chunk.count < count { continue }
            visit()
            if !goesOn { return }
        }
        if !chunk.isEmpty { visit() }
    }

    /// How many of the rows at these slots meet a condition. All are prefetched.
    final func countRows(at slots: ContiguousArray<UInt32>, meeting test: RowTest? = nil) -> Int {
        slots.withUnsafeBufferPointer {
            visit($0, test, for: .count) { _, _ in true }
        }
    }

    /// Calls `body` with the row at each slot that has one and meets the condition of a test, until it returns false.
    ///
    /// - Returns: how many rows there were that meet the condition.
    private final func visit(
        _ slots: UnsafeBufferPointer<UInt32>, _ test: RowTest?, for use: RowUse, _ body: RowVisit
    ) -> Int {
        var count = 0
        var rows = RowCursor(self)
        // The cursor's: another table where leaves are made for it.
        let table = rows.table
        rows.forEachPlace(at: slots) { slot, place in
            var isMet = true
            if let test {
                guard let known = self.isMet(test.bytes, at: place) else { return true }
                isMet = known
            }
            if isMet, use == .count {
                if isLive(at: place) { count += 1 }
                return true
            }
            let place =
                place.isPacked && use == .keeping
                ? table.unpacked(Slot(slot)) : table.settledForReading(place, Slot(slot))
            return withRow(at: place) { row in
                guard isMet || test?.matches(row) ?? true else { return true }
                count += 1
                return use == .count || body(slot, row)
            } ?? true
        }
        return count
    }

    /// Whether the bytes of a row tell that it meets the condition of a test; nil where they tell that it does not,
    /// or there is no row.
    @inline(__always)
    private final func isMet(_ test: PackedTextTest, at place: ElementPlace) -> Bool? {
        let place = layout.settled(place)
        guard place.isPacked else { return false }
        guard isLive(at: place),
            test.isMet(by: PackedLeaf.parts(at: place.position, of: place.node).row)
        else { return nil }
        return test.isWhole
    }
}
