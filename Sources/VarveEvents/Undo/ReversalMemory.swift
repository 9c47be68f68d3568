/// What is kept from one reversal to the next, so that steady work keeps its memory: how the rows of a
/// log are read, and room for them.
///
/// Of one log, and for one reversal at a time.
///
/// Unchecked for exclusive access: each property is written by the reversal alone, and what it calls
/// while it reads one of them knows nothing of this object.
package final class ReversalMemory {
    let layouts = LayoutCache()
    /// A row as it is.
    @exclusivity(unchecked) var row = ByteWriter(capacity: 512)
    /// A row that is to be set, or was once.
    @exclusivity(unchecked) var converted = ByteWriter(capacity: 512)

    /// What a larger row needed is returned.
    private static var keptCapacity: Int { 64 << 10 }

    package init() {}

    func begin() {
        if row.capacity > Self.keptCapacity { row = ByteWriter(capacity: 512) }
        if converted.capacity > Self.keptCapacity { converted = ByteWriter(capacity: 512) }
    }

    /// Forgets what was learnt: what follows may be another log.
    package func forgetLog() { layouts.removeAll() }
}
