import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveInspection

@Suite("Counting in bounded memory")
struct BoundedTallyTests {
    private struct Sum: PeriodTally {
        var times: [Int64] = []
        mutating func merge(_ next: Sum) { times += next.times }
    }

    @Test(
        "Every time lies in its period, whatever the times are",
        arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func times(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var tally = TimeTally<Sum>(limit: 12, width: 10)
        let scale = Int64(1) << Int64.random(in: 4...62, using: &generator)
        let all = (0..<300).map { _ in Int64.random(in: -scale...scale, using: &generator) }
        for time in all { tally.add(at: time) { $0.times.append(time) } }
        #expect(tally.cells.count <= 12, "seed \(seed)")
        #expect(tally.cells.flatMap(\.times).sorted() == all.sorted(), "seed \(seed)")
        for (position, cell) in tally.cells.enumerated() {
            let start = tally.start(of: position)
            for time in cell.times {
                let known = min(max(time, -(1 << 60)), 1 << 60)
                #expect(known >= start && known < start + tally.width, "seed \(seed)")
            }
        }
    }

    @Test("The ends of time are in periods, too")
    func extremes() {
        var tally = TimeTally<Sum>(limit: 8)
        for time in [0, Int64.max, Int64.min, 1] { tally.add(at: time) { $0.times.append(time) } }
        #expect(tally.cells.count <= 8 && tally.cells.flatMap(\.times).count == 4)
    }

    @Test("The largest elements are those of a sorted list", arguments: [11, 12, 13] as [UInt64])
    func largest(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let weights = (0..<200).map { _ in UInt64.random(in: 0...50, using: &generator) }
        var list = TopList<Int>(limit: 7)
        for (position, weight) in weights.enumerated() { list.add(weight, position) }
        let expected = weights.enumerated()
            .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.prefix(7)
        #expect(list.elements.map(\.element) == expected.map(\.offset), "seed \(seed)")
    }

    @Test(
        "Counts of changes are too low by no more than is said",
        arguments: [21, 22, 23] as [UInt64])
    func changes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var tally = ChangeTally(limit: 16)
        var exact: [UInt8: UInt64] = [:]
        for _ in 0..<2_000 {
            // Few are changed often.
            let id = UInt8(
                min(
                    Int.random(in: 0..<60, using: &generator),
                    Int.random(in: 0..<60, using: &generator)))
            exact[id, default: 0] += 1
            [id].withUnsafeBytes { tally.add(TypeNumber(1), $0, in: 1) }
        }
        #expect(tally.counts.count <= 16)
        for (id, count) in exact {
            let found = tally.counts[ChangeTally.Key(type: 1, id: [id])]?.changes ?? 0
            #expect(found <= count && count - found <= tally.missed, "seed \(seed)")
        }
    }

    @Test("Names beyond those that are kept apart are counted together")
    func names() {
        var tally = NameTally()
        let one = InspectedStatistics.Amount(
            transactions: 1, events: 2, raw: ByteCount(3), stored: ByteCount(4))
        let place = StoreSummary.Transaction(id: 1, time: Moment(microseconds: 0))
        for number in 0..<5_000 { _ = tally.add("label \(number)", one, in: place) }
        #expect(tally.entries.count == 4_096 && tally.othersAmount.transactions == 904)
        _ = tally.add(nil, one, in: place)
        #expect(tally.entries.last?.name == nil && tally.othersAmount.transactions == 904)
        let long = String(repeating: "x\u{301}", count: 100_000)
        var short = NameTally()
        _ = short.add(long, one, in: place)
        #expect(short.entries[0].name?.unicodeScalars.count == 401)
    }

    @Test("Labels that differ in quoted parts and numbers alone have one pattern")
    func patterns() {
        let cases = [
            ("Add “tea”", "Add “…”"), ("Import packages 1-1000", "Import packages …"),
            ("Move \"a\" to \"b\"", "Move \"…\" to \"…\""), ("Don't", "Don't"), ("", ""),
            ("Say “unfinished", "Say “unfinished"), ("v2.10: fix", "v… fix"), ("'", "'"),
            ("12", "…"),
        ]
        for (label, pattern) in cases { #expect(LabelPattern.of(label) == pattern) }
    }
}
