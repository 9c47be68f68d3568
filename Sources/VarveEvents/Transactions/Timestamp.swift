package import Foundation

/// A moment in microseconds since 1970-01-01 UTC.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    /// The moment of a date, to the microsecond; dates beyond the range become its ends.
    package init(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1_000_000).rounded()
        if let microseconds = Int64(exactly: exact) {
            self.microseconds = microseconds
        } else {
            microseconds = exact > 0 ? .max : .min
        }
    }

    package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

    package static func < (first: Self, second: Self) -> Bool {
        first.microseconds < second.microseconds
    }
}
