internal import CVarve

/// Lets others go first, every so often, where a thread works for long in the background.
///
/// A thread that wakes up on the processor of another that computes may wait there until the next tick of
/// the system's clock, 4 ms on many Linux systems, even while a second processor is idle: so a commit
/// waited that came back from the disk beside a compaction. This, small syncs of the checkpoint and a log whose
/// zeros are written ahead took the 99.9th percentile of such commits from some 4 ms to 1 ms; where nobody
/// waits, an offer is one short call of the system.
struct BackgroundPace: ~Copyable {
    /// Some tens of microseconds of encoding or decoding.
    private static var itemsBetweenOffers: UInt32 { 64 }

    private var items: UInt32 = 0

    /// One more entity or list was worked on.
    @inline(__always)
    mutating func step() {
        items &+= 1
        if items.isMultiple(of: Self.itemsBetweenOffers) { varve_yield() }
    }
}
