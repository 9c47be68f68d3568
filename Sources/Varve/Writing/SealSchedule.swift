internal import VarveLog

/// When the log is told that its end is safe: once writing has paused. Readers in other processes
/// then see the last transactions, and damage to them can be told from a cut tail.
struct SealSchedule {
    private var appended: UInt64 = 0
    private var sealed: UInt64 = 0
    private var isScheduled = false
    private var appendedWhenScheduled: UInt64 = 0
    /// The newest transaction that somebody waits for.
    private(set) var awaited = LogSequence.none

    mutating func didAppend(awaiting sequence: LogSequence) {
        appended += 1
        awaited = sequence
    }

    mutating func didSeal() { sealed = appended }

    /// Whether a seal is due that nobody has scheduled yet; from now on somebody has.
    mutating func schedule() -> Bool {
        guard !isScheduled, sealed != appended else { return false }
        isScheduled = true
        appendedWhenScheduled = appended
        return true
    }

    /// The time that was scheduled has come. Whether writing has paused since.
    mutating func comes() -> Bool {
        isScheduled = false
        return appended == appendedWhenScheduled
    }
}
