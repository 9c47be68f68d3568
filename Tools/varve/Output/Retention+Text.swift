import VarveInspection

extension Retention {
    /// `the last 10,000 transactions`, `the last 30 days`.
    var text: String {
        switch self {
        case .transactions(let count): Self.last(count, "transaction")
        case .age(let seconds): Self.age(seconds)
        case .everything, .newestState: description
        }
    }

    private static func age(_ seconds: UInt64) -> String {
        let units: [(seconds: UInt64, noun: String)] = [
            (86_400, "day"), (3_600, "hour"), (60, "minute"),
        ]
        let unit = units.first { seconds > 0 && seconds.isMultiple(of: $0.seconds) }
        return last(seconds / (unit?.seconds ?? 1), unit?.noun ?? "second")
    }

    private static func last(_ count: UInt64, _ noun: String) -> String {
        count == 1 ? "the last \(noun)" : "the last " + Numerals.counted(count, noun)
    }
}
