internal import Foundation

/// The parts of many rows, which several cores copy at once.
///
/// What they wait for is memory, so two cores copy rows in random places half again as fast as one.
@usableFromInline
struct RowParts: Sendable {
    @usableFromInline let rowCount: Int
    @usableFromInline let count: Int

    /// How many rows are worth a part: copying them takes about a millisecond, and waking a thread
    /// some tens of microseconds.
    @usableFromInline static var rowCountMin: Int { 4_096 }

    @usableFromInline
    init(_ rowCount: Int) {
        self.init(rowCount, cores: { ProcessInfo.processInfo.activeProcessorCount })
    }

    /// - Parameter cores: how many there are; asked where there is enough for two.
    init(_ rowCount: Int, cores: () -> Int) {
        self.rowCount = rowCount
        let limit = rowCount / RowParts.rowCountMin
        guard limit > 1 else {
            count = 1
            return
        }
        let cores = cores()
        // More than there are cores: one may have something else to do meanwhile.
        count = cores > 1 ? min(limit, 4 * cores) : 1
    }

    /// Which rows a part has.
    @usableFromInline
    subscript(part: Int) -> Range<Int> {
        part * rowCount / count..<(part + 1) * rowCount / count
    }

    /// Calls `body` with each part, on this thread and on others, and returns when all are done. This thread
    /// takes parts as long as there are any, so it needs no other one to come to an end.
    @usableFromInline
    func perform(_ body: @Sendable (_ part: Int, _ rows: Range<Int>) -> Void) {
        DispatchQueue.concurrentPerform(iterations: count) { body($0, self[$0]) }
    }
}
