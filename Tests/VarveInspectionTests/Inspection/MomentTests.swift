import Foundation
import Testing
import VarveInspection
import VarveTestSupport

@Suite("Moments")
struct MomentTests {
    @Test(
        "A moment is written in ISO 8601 with microseconds, in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (1_785_765_922_123_456, "2026-08-03T14:05:22.123456Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
            (-62_167_219_200_000_001, "-0001-12-31T23:59:59.999999Z"),
            (.max, "294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
        ] as [(Int64, String)])
    func text(_ microseconds: Int64, _ expected: String) {
        #expect(Moment(microseconds: microseconds).iso8601 == expected)
    }

    @Test("Foundation writes the same to the second, for seeded moments of 8,000 years")
    func comparison() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -12_000_000_000...240_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(
                Moment(microseconds: seconds * 1_000_000).iso8601Seconds
                    == date.formatted(.iso8601), "seed \(seed)")
        }
    }
}
