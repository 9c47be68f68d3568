import VarveInspection

/// What `--after` and `--before` take: a transaction, a date, or a distance from now.
struct BoundArgument {
    static let expected =
        "a transaction (41), a date (2026-08-03, 2026-08-03T14:05Z) or a distance from now (2h, 3d)"

    let now: Moment
    /// The zone of a date without an offset.
    var zone = ReaderZone.utc

    func parse(_ text: String) -> TransactionFilter.Bound? {
        if let id = UInt64(text), text.first != "+" { return .transaction(TransactionID(id)) }
        if let distance = Self.distance(text) {
            let (moment, overflow) = now.microseconds.subtractingReportingOverflow(distance)
            return overflow ? nil : .moment(Moment(microseconds: moment))
        }
        guard let moment = Moment(iso8601: text) else { return nil }
        return .moment(Self.hasOffset(text) ? moment : zone.moment(ofClock: moment))
    }

    private static func hasOffset(_ date: String) -> Bool {
        date.hasSuffix("Z") || date.dropFirst("2026-08-03".count).contains { "+-".contains($0) }
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
}
