import VarveInspection

/// How long ago something was, in the largest unit that fits.
struct Age {
    private static let units: [(name: String, letter: String, seconds: Int64)] = [
        ("year", "y", 31_557_600), ("month", "mo", 2_629_800), ("week", "w", 604_800),
        ("day", "d", 86_400), ("hour", "h", 3_600), ("minute", "m", 60), ("second", "s", 1),
    ]

    /// Negative in the future.
    private let seconds: Int64

    init(of moment: Moment, at now: Moment) {
        let (difference, overflow) = now.microseconds.subtractingReportingOverflow(
            moment.microseconds)
        // Times that a forged log claims may be further apart than can be counted.
        seconds =
            overflow ? (moment < now ? .max : -.max) : difference / 1_000_000
    }

    private var largest: (count: Int64, name: String, letter: String)? {
        let unit = Self.units.first { abs(seconds) >= $0.seconds }
        return unit.map { (abs(seconds) / $0.seconds, $0.name, $0.letter) }
    }

    /// `3 minutes ago`, `in 2 days`, `just now`.
    var phrase: String {
        guard let (count, name, _) = largest else { return "just now" }
        let text = Numerals.counted(count, name)
        return seconds > 0 ? text + " ago" : "in " + text
    }

    /// `3m`, `-2d`, `0s`.
    var abbreviation: String {
        guard let (count, _, letter) = largest else { return "0s" }
        return (seconds > 0 ? "" : "-") + String(count) + letter
    }
}
