/// A moment in microseconds since 1970-01-01 UTC, as logs record it.
public struct Moment: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 UTC; negative before.
    public let microseconds: Int64

    /// A moment so many microseconds after 1970-01-01 UTC.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    init(_ timestamp: Timestamp) { microseconds = timestamp.microseconds }

    /// In UTC, with six digits behind the second: `2026-08-03T14:05:22.123456Z`.
    public var iso8601: String { Timestamp(microseconds: microseconds).iso8601 }

    /// In UTC, to the second: `2026-08-03T14:05:22Z`.
    public var iso8601Seconds: String { Timestamp(microseconds: microseconds).iso8601Seconds }

    /// Whether the first moment is earlier.
    public static func < (first: Self, second: Self) -> Bool {
        first.microseconds < second.microseconds
    }
}
