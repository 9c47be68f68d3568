/// Moments as ISO 8601, to the nanosecond.
package struct DateText: Hashable, Sendable {
    /// Since 1970-01-01 UTC, rounded down.
    package let seconds: Int64
    /// Of the second, below 1,000,000,000.
    package let nanoseconds: Int64

    /// From 1970-01-01 to 2001-01-01.
    private static let referenceSeconds: Int64 = 978_307_200

    /// The date as its stored form has it. Dates that ``exact(_:)`` writes come back as they were.
    package var secondsSinceReference: Double {
        Double(seconds - Self.referenceSeconds) + Double(nanoseconds) / 1_000_000_000
    }

    /// A stored date as ISO 8601 with as many digits as it needs, none, six or nine; nil where that is not the date,
    /// as beyond the years 1 to 9999.
    package static func exact(_ secondsSinceReference: Double) -> String? {
        guard secondsSinceReference > -63_113_904_000, secondsSinceReference < 252_423_993_600
        else { return nil }
        let whole = secondsSinceReference.rounded(.down)
        let nanoseconds = Int64(((secondsSinceReference - whole) * 1_000_000_000).rounded())
        let date = DateText(
            seconds: Int64(whole) + referenceSeconds + nanoseconds / 1_000_000_000,
            nanoseconds: nanoseconds % 1_000_000_000)
        // Minus zero is another date than zero.
        guard date.secondsSinceReference.bitPattern == secondsSinceReference.bitPattern else {
            return nil
        }
        let (millions, rest) = date.nanoseconds.quotientAndRemainder(dividingBy: 1_000)
        let time = Timestamp(microseconds: date.seconds * 1_000_000 + millions)
        if date.nanoseconds == 0 { return time.iso8601Seconds }
        if rest == 0 { return time.iso8601 }
        let digits = String(rest)
        return time.iso8601.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits
            + "Z"
    }
}

extension DateText {
    /// Reads a day, with a time of day or without, in UTC unless an offset says otherwise; a second has up to nine
    /// digits behind it. Nil where the text is no date.
    package init?(_ text: String) {
        var scanner = Scanner(units: Array(text.utf8))
        guard let date = scanner.date() else { return nil }
        self = date
    }

    private struct Scanner {
        let units: [UInt8]
        private var position = 0

        init(units: [UInt8]) { self.units = units }

        mutating func date() -> DateText? {
            guard let year = number(4), take("-"), let month = number(2), take("-"),
                let day = number(2), (1...12).contains(month),
                (1...Self.length(ofMonth: month, year)).contains(day)
            else { return nil }
            let days = Self.days(toYear: year, month: month, day: day)
            var (second, nanoseconds): (Int64, Int64) = (0, 0)
            if take("T") || take(" ") {
                guard let hour = number(2), hour < 24, take(":"), let minute = number(2),
                    minute < 60
                else { return nil }
                second = (hour * 60 + minute) * 60
                if take(":") {
                    guard let digits = number(2), digits < 60 else { return nil }
                    second += digits
                    if take(".") {
                        guard let fraction = fraction() else { return nil }
                        nanoseconds = fraction
                    }
                }
                guard let offset = offset() else { return nil }
                second -= offset
            }
            guard position == units.count else { return nil }
            return DateText(seconds: days * 86_400 + second, nanoseconds: nanoseconds)
        }

        /// Seconds east of UTC; 0 where there is none, nil where it is wrong.
        private mutating func offset() -> Int64? {
            if take("Z") || position == units.count { return 0 }
            let sign: Int64 = take("-") ? -1 : 1
            guard sign < 0 || take("+"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2) else { return nil }
            return sign * (hours * 60 + minutes) * 60
        }

        private mutating func fraction() -> Int64? {
            var (value, count): (Int64, Int) = (0, 0)
            while position < units.count, (0x30...0x39).contains(units[position]), count < 9 {
                value = value * 10 + Int64(units[position] - 0x30)
                position += 1
                count += 1
            }
            return count == 0 ? nil : (count..<9).reduce(value) { value, _ in value * 10 }
        }

        private mutating func number(_ count: Int) -> Int64? {
            let digits = units[position...].prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            position += count
            return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        private mutating func take(_ sign: Character) -> Bool {
            guard position < units.count, units[position] == sign.asciiValue else { return false }
            position += 1
            return true
        }

        private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
            switch month {
            case 2:
                year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                    ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        /// Days from 1970-01-01, counting in years that begin in March.
        private static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
            let shifted = month <= 2 ? year - 1 : year
            let era = (shifted >= 0 ? shifted : shifted - 399) / 400
            let yearOfEra = shifted - era * 400
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
                - 719_468
        }
    }
}
