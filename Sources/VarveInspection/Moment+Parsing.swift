extension Moment {
    /// ISO 8601: a day, with a time of day or without, in UTC unless an offset says otherwise.
    ///
    /// Nil where the text is no date.
    public init?(iso8601 text: String) {
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
        let days = Self.days(toYear: number(match.year), month: month, day: day)
        let moment = Moment(microseconds: days * 86_400_000_000)
        // A day that does not exist reads back as another.
        guard hour < 24, minute < 60, second < 60,
            moment.iso8601.hasPrefix("\(match.year)-\(match.month)-\(match.day)T")
        else { return nil }
        let offset = (number(match.hours) * 60 + number(match.minutes)) * 60
        let seconds =
            (hour * 60 + minute) * 60 + second - (match.sign == "-" ? -offset : offset)
        let fraction = (match.fraction ?? "") + String(repeating: "0", count: 6)
        self.init(
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
