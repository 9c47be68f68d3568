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

extension Timestamp {
    /// The moment in ISO 8601 with microseconds, in UTC and the Gregorian calendar. Years beyond
    /// 9999 get as many digits as they need, those before 0 a sign.
    package var iso8601: String {
        let (seconds, fraction) = microseconds.flooredQuotient(1_000_000)
        return Self.iso8601(seconds: seconds) + "." + Self.padded(fraction, 6) + "Z"
    }

    /// ``iso8601`` to the second.
    package var iso8601Seconds: String {
        Self.iso8601(seconds: microseconds.flooredQuotient(1_000_000).quotient) + "Z"
    }

    private static func iso8601(seconds: Int64) -> String {
        let (day, second) = seconds.flooredQuotient(86_400)
        let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return date(daysSince1970: day) + "T" + time.joined(separator: ":")
    }

    /// Counts in years that begin in March, so that a leap day is the last of its year, and in eras
    /// of 400 years, which all have the same days.
    private static func date(daysSince1970 days: Int64) -> String {
        let (era, day) = (days + 719_468).flooredQuotient(146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        let year = era * 400 + yearOfEra + (isNextYear ? 1 : 0)
        let sign = year < 0 ? "-" : ""
        return sign + padded(abs(year), 4) + "-" + padded(isNextYear ? month - 9 : month + 3, 2)
            + "-" + padded(dayOfMonth, 2)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded down, and the remainder, which is never negative.
    fileprivate func flooredQuotient(_ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
