internal import CVarve

/// Lets others go first, every so often, where a thread works for long in the background.
///
/// A thread that wakes up on the processor of another that computes may wait there until the next tick of
/// the system's clock, 4 ms on many Linux systems, even while a second processor is idle: so a commit
/// waited that came back from the disk beside a compaction. This, small syncs of the checkpoint and a log whose
/// zeros are written ahead took the 99.9th percentile of such commits from some 4 ms to 1 ms; where nobody
/// waits, an offer is one short call of the system.
///
/// The clock decides when to offer, and nothing else.
struct BackgroundPace: ~Copyable {
    /// So many entities, or entities in lists, between two looks at the clock.
    private static var itemsBetweenLooks: Int { 64 }
    private static var workMin: Duration { .microseconds(20) }

    private var items = 0
    /// No offer comes earlier.
    private var next = ContinuousClock.now

    /// So many more items were worked on.
    @inline(__always)
    mutating func step(by count: Int = 1) {
        items &+= count
        if items >= Self.itemsBetweenLooks { offer() }
    }

    /// Works as long as the last offer took before it makes another one: beside threads that never rest, this one
    /// gets half of what it would, and not one turn for each few microseconds of work.
    @inline(never)
    private mutating func offer() {
        items = 0
        let start = ContinuousClock.now
        guard start >= next else { return }
        varve_yield()
        let end = ContinuousClock.now
        next = end + max(end - start, Self.workMin)
    }
}
