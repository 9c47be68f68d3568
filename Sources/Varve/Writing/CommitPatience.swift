/// For how long a thread that waits for a sync stays awake before it sleeps.
///
/// To wake a thread takes two changes of context and a call of the system, and an idle processor takes a while to come
/// back. On a disk that syncs in a tenth of a millisecond this is what bounds commits of many threads. So where more
/// threads wait than there are processors, they leave those to one another and look whether they were called, for some
/// syncs' time, as the writers of RocksDB do (`WriteThread::AwaitState`); only then they sleep.
///
/// A thread that computes something else gets its whole slice from each of those who leave it the processor. Mostly this
/// shows in how long they stay away: where that happens again and again, all sleep at once for a while.
struct CommitPatience: Sendable {
    /// A slower disk is waited for asleep: next to its time that of waking is little.
    static let syncTimeMax = Duration.microseconds(500)
    /// One who comes while a sync runs waits for the next one as well, and in a crowd each gets a processor late.
    static let syncsAwake = 8
    /// A commit takes some microseconds, and all who wait together some hundred. Slices of processors are mostly longer.
    static let absenceMax = Duration.milliseconds(1)
    /// As much of one absence counts: a virtual machine's processor stands still for longer now and then.
    static let countedMax = Duration.milliseconds(2)
    static let window = Duration.milliseconds(20)
    static let absentInWindowMax = Duration.milliseconds(5)
    static let timeAsleep = Duration.milliseconds(250)

    private let processors: Int
    /// Of the last syncs, the latest an eighth of it. Nil before the first.
    private var syncTime: Duration?
    /// How many waited for the last one or came too late for it.
    private var crowd = 0
    /// The long absences in a window. What several threads miss at once counts once.
    private var absent = Duration.zero
    private var windowStart: ContinuousClock.Instant?
    private var countedUntil: ContinuousClock.Instant?
    private var sleepsUntil: ContinuousClock.Instant?

    init(processors: Int) { self.processors = processors }

    /// - Parameter waiters: how many threads wait at its end.
    mutating func didSync(in time: Duration, waiters: Int) {
        syncTime = syncTime.map { ($0 * 7 + time) / 8 } ?? time
        crowd = waiters
    }

    /// Nil for one who had better sleep at once.
    ///
    /// - Parameter waiters: how many threads wait by now, with the one who asks.
    func timeAwake(of waiters: Int, at now: @autoclosure () -> ContinuousClock.Instant) -> Duration?
    {
        guard max(waiters, crowd) > processors, let syncTime, syncTime <= Self.syncTimeMax else {
            return nil
        }
        if let sleepsUntil, now() < sleepsUntil { return nil }
        return syncTime * Self.syncsAwake
    }

    /// One who left the processor had it back only after longer than ``absenceMax``.
    mutating func wasAbsent(for time: Duration, until end: ContinuousClock.Instant) {
        let start = max(end - min(time, Self.countedMax), countedUntil ?? end - Self.countedMax)
        guard start < end else { return }
        if windowStart.map({ end - $0 > Self.window }) ?? true {
            windowStart = start
            absent = .zero
        }
        absent += end - start
        countedUntil = end
        guard absent > Self.absentInWindowMax else { return }
        windowStart = nil
        sleepsUntil = end + Self.timeAsleep
    }
}
