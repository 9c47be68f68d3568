public import Foundation
internal import VarveEvents
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

    var timestamp: Timestamp { moment.withLock { $0 } }

    /// Lets time pass; a negative duration turns the clock back.
    public func advance(by duration: Duration) {
        moment.withLock {
            $0 = Timestamp(microseconds: $0.microseconds + duration.microseconds)
        }
    }
}
