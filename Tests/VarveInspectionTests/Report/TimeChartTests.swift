import Testing

@testable import VarveInspection
@testable import VarveTool

@Suite("The charts over time")
struct TimeChartTests {
    /// A chart of 24 periods of ten minutes.
    private func chart(from start: String) throws -> String {
        let start = try #require(Moment(iso8601: start))
        let length: Int64 = 600_000_000
        let periods = (0..<24).map { number in
            Periods.Period(
                start: Moment(microseconds: start.microseconds + Int64(number) * length),
                amount: .init(), types: [:], labels: [:], authors: [:], scopes: [:])
        }
        return TimeChart(
            title: "Transactions", unit: .transactions,
            columns: periods.map { _ in [1] },
            periods: Periods(periods: periods, microseconds: length)
        ).markup.source
    }

    @Test("An axis with times of day has the date, and both where it goes past midnight")
    func dates() throws {
        let day = try chart(from: "2026-11-27T08:00:00Z")
        #expect(day.contains("<time>2026-11-27</time> UTC"))
        let night = try chart(from: "2026-11-27T22:00:00Z")
        #expect(night.contains("<time>2026-11-27</time> to <time>2026-11-28</time> UTC"))
    }
}
