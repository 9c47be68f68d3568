/// What is called with a row's slot and address; returns whether to go on.
@usableFromInline typealias RowVisit = (UInt32, UnsafeRawPointer) -> Bool

/// What rows are visited for.
@frozen @usableFromInline
enum RowUse {
    /// To keep their addresses.
    case keeping
    /// To read each within its call.
    case passing
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

// Rows are visited at their addresses by code that does not know their type, and so is compiled once. What finds them
// there is compiled for each type, and calls a closure for each row: that takes a nanosecond or two.
extension AnyTable {
    /// The address of the row at a slot; see ``Table/row(at:)``.
    final func rawRow(at slot: Slot) -> UnsafeRawPointer? { descriptor.operations.row(self, slot) }

    /// Calls `body` with the row at a slot, or returns nil where it holds none. The address is good for the call
    /// alone.
    ///
    /// - Parameter isOnce: whether all rows are read and none of them again, so that a packed leaf is to stay one.
    @discardableResult
    final func withRawRow<Result>(
        at slot: Slot, isOnce: Bool = false, _ body: (UnsafeRawPointer) -> Result
    ) -> Result? {
        var result: Result?
        descriptor.operations.withRow(self, slot, isOnce) { row in
            if let row { result = body(row) }
        }
        return result
    }

    /// Lets the body work on the address of the row at a slot, or on nothing.
    package final func withRow(at slot: Slot, _ body: (UnsafeRawPointer?) -> Void) {
        descriptor.operations.withRow(self, slot, false, body)
    }

    /// Calls `body` with each row in insertion order until it returns false.
    ///
    /// - Parameter isPassing: whether the addresses are not kept beyond the calls.
    @usableFromInline
    final func visitRows(isPassing: Bool, _ body: RowVisit) {
        descriptor.operations.visitAll(self, isPassing, body)
    }

    /// Calls `body` with the row at each slot that has one, until it returns false.
    @usableFromInline
    final func visitRows(
        at slots: ContiguousArray<UInt32>, meeting test: RowTest? = nil, isPassing: Bool,
        _ body: RowVisit
    ) {
        slots.withUnsafeBufferPointer {
            _ = descriptor.operations.visit(self, $0, test, isPassing ? .passing : .keeping, body)
        }
    }

    /// Calls `body` with the row at each slot that has one, until it returns false. For a visit that probably ends early:
    /// rows are prefetched in chunks, which grow. The addresses are good for the calls alone.
    final func visitInChunks(_ slots: some Sequence<UInt32>, _ body: RowVisit) {
        var chunk = ContiguousArray<UInt32>()
        var (count, goesOn) = (8, true)
        func visit() {
            visitRows(at: chunk, isPassing: true) { slot, row in
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
            descriptor.operations.visit(self, $0, test, .count) { _, _ in true }
        }
    }
}
