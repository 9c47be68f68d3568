public import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

/// The time of a store in a test: it passes when the test says so.
public final class TestClock: Sendable {
    private let moment: Lock<Timestamp>

    /// A clock that shows a date, to microseconds; the default is 2001-01-01 00:00:00 UTC.
    public init(_ start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        moment = Lock(Timestamp(start))
    }

    /// What the clock shows: the time of the next transaction.
    public var now: Date { timestamp.date }

    fileprivate var timestamp: Timestamp { moment.withLock { $0 } }

    /// Lets time pass; a negative duration turns the clock back.
    public func advance(by duration: Duration) {
        moment.withLock {
            $0 = Timestamp(microseconds: $0.microseconds + duration.microseconds)
        }
    }
}

extension Store {
    /// A store for tests: in memory, at times that the test decides, and without automatic compaction. Runs of the same
    /// writes produce the same log.
    ///
    /// ```swift
    /// let clock = TestClock()
    /// let store = try Store.test(clock, Note.self)
    /// clock.advance(by: .seconds(60))
    /// ```
    ///
    /// Ids are the app's: give entities theirs, or let the app make them where a test can say how.
    public static func test(
        _ clock: TestClock = TestClock(), retention: Retention = .standard,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try Store(
            in: MemoryFileSystem(), environment: TestEnvironment(clock: clock), mode: .readWrite,
            durability: .none, retention: retention, compactsAutomatically: false, types: types)
    }
}

/// An environment whose time is a test's, and whose random numbers are one.
private struct TestEnvironment: LogEnvironment {
    let clock: TestClock

    func wallClockMicroseconds() -> Int64 { clock.timestamp.microseconds }
    func randomSalt() -> UInt64 { 0x7465_7374 }
    func processID() -> Int32 { SystemEnvironment().processID() }
    func processName() -> String { SystemEnvironment().processName() }
}
