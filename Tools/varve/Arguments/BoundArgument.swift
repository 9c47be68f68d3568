import VarveInspection

/// What `--after` and `--before` take: a transaction, a date, or a distance from now.
struct BoundArgument {
    static let expected =
        "a transaction (41), a date (2026-08-03, 2026-08-03T14:05Z) or a distance from now (2h, 3d)"

    let now: Moment

    func parse(_ text: String) -> TransactionFilter.Bound? {
        if let id = UInt64(text), text.first != "+" { return .transaction(TransactionID(id)) }
        if let distance = Self.distance(text) {
            let (moment, overflow) = now.microseconds.subtractingReportingOverflow(distance)
            return overflow ? nil : .moment(Moment(microseconds: moment))
        }
        return Self.date(text).map { .moment($0) }
    }

    // MARK: Distances

    private static let units: [Character: Int64] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]

    private static func distance(_ text: String) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }), text.first?.isNumber == true,
            let count = Int64(text.dropLast())
        else { return nil }
        let (microseconds, overflow) = count.multipliedReportingOverflow(by: unit * 1_000_000)
        return overflow ? nil : microseconds
    }

    // MARK: Dates

    /// ISO 8601: a day, with a time of day or without, in UTC unless an offset says otherwise.
    private static func date(_ text: String) -> Moment? {
        let form =
            #/
            (?<year> \d{4}) - (?<month> \d{2}) - (?<day> \d{2})
            (?: [T\x20] (?<hour> \d{2}) : (?<minute> \d{2})
                (?: : (?<second> \d{2}) (?: \. (?<fraction> \d{1,6}) )? )?
                (?: Z | (?<sign> [+\-]) (?<hours> \d{2}) :? (?<minutes> \d{2}) )?
            )?
            /#
        guard let match = text.wholeMatch(of: form)?.output else { return nil }
        func number(_ digits: Substring?) -> Int64 { digits.flatMap { Int64($0) } ?? 0 }
        let (month, day) = (number(match.month), number(match.day))
        let (hour, minute, second) = (
            number(match.hour), number(match.minute), number(match.second)
        )
        let days = days(toYear: number(match.year), month: month, day: day)
        let moment = Moment(microseconds: days * 86_400_000_000)
        // A day that does not exist reads back as another.
        guard hour < 24, minute < 60, second < 60,
            moment.iso8601.hasPrefix("\(match.year)-\(match.month)-\(match.day)T")
        else { return nil }
        let offset = (number(match.hours) * 60 + number(match.minutes)) * 60
        let seconds =
            (hour * 60 + minute) * 60 + second - (match.sign == "-" ? -offset : offset)
        let fraction = (match.fraction ?? "") + String(repeating: "0", count: 6)
        return Moment(
            microseconds: moment.microseconds + seconds * 1_000_000 + number(fraction.prefix(6)))
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
