/// Bytes of one class of age.
public struct AgeStatistics: Sendable {
    /// How long ago something was: less than so long, and no less than the class before.
    public enum Class: String, CaseIterable, Sendable {
        /// Months have 30 days, quarters 91, years 365.
        case day, week, month, quarter, year, older

        /// The age below which something is of this class, in microseconds.
        private var limit: Int64 {
            let days: Int64 =
                switch self {
                case .day: 1
                case .week: 7
                case .month: 30
                case .quarter: 91
                case .year: 365
                case .older: 100_000_000
                }
            return days * 86_400_000_000
        }

        init(of moment: Int64, at now: Int64) {
            let (age, overflow) = now.subtractingReportingOverflow(moment)
            let known = overflow ? (moment < now ? Int64.max : 0) : age
            self = Class.allCases.first { known < $0.limit } ?? .older
        }
    }

    /// The class.
    public let age: Class
    /// Live entities that were last changed so long ago.
    public let entities: Int
    /// Their rows and ids.
    public let live: ByteCount
    /// Transactions that were written so long ago.
    public let log: InspectedStatistics.Amount
}
