internal import Synchronization

/// What changes of tables take that do not fit the budget, and how much of it has tables renewed and makes writers wait.
///
/// Stored tables that replace them release it (``TableRenewal``). What changes take is measured before a transaction, whenever
/// enough was logged since the last time.
final class ChangeMemory: Sendable {
    /// From so many bytes on tables are renewed.
    let bytesMax: Int
    private let measured = Atomic(0)
    private let notReleasable = Atomic(0)
    /// What the last renewal has not released, because it could not, or has failed. It is tried again where there is so much
    /// more.
    private let kept = Atomic(0)
    private let slotBytesKnown = Atomic(0)
    private let loggedBytes = Atomic(0)
    private let loggedEvents = Atomic(0)
    private let eventsMeasured = Atomic(0)
    /// What an event has added of late.
    private let eventBytes = Atomic(Int.max / 4)

    /// Less than this is not worth it, whatever the budget is.
    private static var bytesMin: Int { 16 << 10 }
    /// How many times the bytes of its event a row takes that was inserted, with its id and its index entries.
    private static var filledBytesPerLoggedByte: Int { 3 }
    /// Where nothing was logged yet.
    private static var slotBytesUnknown: Int { 256 }

    init(budgetBytes: Int) { bytesMax = max(budgetBytes / 4, Self.bytesMin) }

    /// As of the last measurement.
    var bytes: Int { measured.load(ordering: .relaxed) }

    /// What changes take that no renewal releases.
    var unreleasable: Int { notReleasable.load(ordering: .relaxed) }

    private var bytesToRelease: Int { bytes - kept.load(ordering: .relaxed) }

    var needsRelease: Bool { bytesToRelease > bytesMax }

    /// Whether writers wait for the renewal that has begun.
    var stallsWriters: Bool { bytesToRelease / 2 > bytesMax }

    // MARK: - Measuring

    /// Counts what was logged.
    func noteLogged(byteCount: Int, eventCount: Int) {
        loggedBytes.wrappingAdd(byteCount, ordering: .relaxed)
        loggedEvents.wrappingAdd(eventCount, ordering: .relaxed)
    }

    /// Whether so much was logged since the last measurement that changes may have come half of the way to the next bound, or
    /// an eighth of the bound further: measuring walks over their leaves.
    var isMeasurementDue: Bool {
        let events = loggedEvents.load(ordering: .relaxed)
        let new = events - eventsMeasured.load(ordering: .relaxed)
        let missing = (needsRelease ? 2 * bytesMax : bytesMax) - bytesToRelease
        return new * eventBytesMax > max(missing / 2, max(bytesMax, bytes) / 8)
    }

    /// What one event may add: a leaf of eight rows, and some of links. Less where the events before the last measurement have
    /// added less than half of that each, as insertions do one behind the other.
    private var eventBytesMax: Int {
        let observed = eventBytes.load(ordering: .relaxed)
        return max(slotBytes, min(8 * slotBytes, 2 * observed))
    }

    func note(_ bytes: Int, unreleasable: Int) {
        notReleasable.store(unreleasable, ordering: .relaxed)
        let events = loggedEvents.load(ordering: .relaxed)
        let new = events - eventsMeasured.load(ordering: .relaxed)
        let added = bytes - measured.load(ordering: .relaxed)
        if new > 0, added > 0 { eventBytes.store(added / new, ordering: .relaxed) }
        eventsMeasured.store(events, ordering: .relaxed)
        measured.store(bytes, ordering: .relaxed)
        // They may have become fewer in other ways: a table was filled, or reloaded.
        if bytes < kept.load(ordering: .relaxed) { kept.store(bytes, ordering: .relaxed) }
    }

    /// Tables that could be renewed were.
    func noteRelease() { kept.store(bytes, ordering: .relaxed) }

    // MARK: - Size of slots

    /// An estimate of what a slot takes in a filled table, with its id and its index entries: by the newest checkpoint, or
    /// by what was logged.
    var slotBytes: Int {
        let known = slotBytesKnown.load(ordering: .relaxed)
        if known > 0 { return known }
        let events = loggedEvents.load(ordering: .relaxed)
        guard events > 0 else { return Self.slotBytesUnknown }
        let mean = loggedBytes.load(ordering: .relaxed) / events
        return max(1, mean * Self.filledBytesPerLoggedByte)
    }

    func noteSlotBytes(_ count: Int) { slotBytesKnown.store(count, ordering: .relaxed) }
}
