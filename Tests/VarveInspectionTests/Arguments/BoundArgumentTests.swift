import Testing
import VarveInspection

@testable import VarveTool

@Suite("Bounds of a log")
struct BoundArgumentTests {
    private func moment(_ text: String) -> String? {
        let now = Moment(microseconds: 1_785_765_600_000_000)
        guard case .moment(let moment) = BoundArgument(now: now).parse(text) else { return nil }
        return moment.iso8601
    }

    @Test("A number is a transaction")
    func transactions() {
        let bound = BoundArgument(now: Moment(microseconds: 0))
        #expect(bound.parse("41") == .transaction(TransactionID(41)))
        #expect(bound.parse("2026") == .transaction(TransactionID(2026)))
        #expect(bound.parse("+41") == nil)
        #expect(bound.parse("-41") == nil)
    }

    @Test(
        "A date is a day or a moment, in UTC unless an offset says otherwise",
        arguments: [
            ("2026-08-03", "2026-08-03T00:00:00.000000Z"),
            ("2026-08-03T14:05", "2026-08-03T14:05:00.000000Z"),
            ("2026-08-03 14:05:09", "2026-08-03T14:05:09.000000Z"),
            ("2026-08-03T14:05:09.25Z", "2026-08-03T14:05:09.250000Z"),
            ("2026-08-03T14:05+02:00", "2026-08-03T12:05:00.000000Z"),
            ("2026-08-03T23:30-0130", "2026-08-04T01:00:00.000000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000000Z"),
            ("1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999999Z"),
            ("0000-01-01", "0000-01-01T00:00:00.000000Z"),
            ("9999-12-31", "9999-12-31T00:00:00.000000Z"),
        ])
    func dates(_ text: String, _ expected: String) {
        #expect(moment(text) == expected)
    }

    @Test(
        "A distance counts back from now",
        arguments: [
            ("0s", "2026-08-03T14:00:00.000000Z"), ("90s", "2026-08-03T13:58:30.000000Z"),
            ("5m", "2026-08-03T13:55:00.000000Z"), ("2h", "2026-08-03T12:00:00.000000Z"),
            ("3d", "2026-07-31T14:00:00.000000Z"), ("1w", "2026-07-27T14:00:00.000000Z"),
        ])
    func distances(_ text: String, _ expected: String) {
        #expect(moment(text) == expected)
    }

    @Test(
        "What is no bound is refused",
        arguments: [
            "", "x", "2026-02-29", "2026-13-01", "2026-08-03T24:00", "2026-08-03T14",
            "2026-08-03T14:60", "d", "-3d", "3y", "99999999999999999999", "9999999999999999d",
            "2026-08-03T14:05+2", "２h",
        ])
    func refused(_ text: String) {
        #expect(BoundArgument(now: Moment(microseconds: 0)).parse(text) == nil)
    }
}
