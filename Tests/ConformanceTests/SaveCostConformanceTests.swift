import Testing
import VarveGraph

/// Something on the heap that all rows share: its reference count tells how many rows there are,
/// in all contexts together, so that what a save copies can be counted instead of timed.
private final class Probe: Sendable {}

@EntityModel
private struct Sample {
    let id: Int
    var value: Int
    let probe: Probe

    @Relationship(inverse: \.part) var whole: Whole?
}

@EntityModel
private struct Whole {
    let id: Int
    @Relationship(inverse: \.whole) var part: Sample?
}

@Suite("SM-77: what a save costs")
struct SaveCostConformanceTests {
    /// Rows that a body adds to those that reference the probe.
    private func rowsCopied(_ probe: Probe, by body: () throws -> Void) rethrows -> Int {
        let before = _getRetainCount(probe)
        try body()
        return Int(_getRetainCount(probe)) - Int(before)
    }

    private func context(of count: Int, _ probe: Probe) throws -> Context {
        var context = Context()
        for id in 0..<count { try Sample(id: id, value: 0, probe: probe).save(to: &context) }
        return context
    }

    @Test(
        "a save in place copies no row, in a small table as in a large one",
        arguments: [100, 1_000, 20_000])
    func inPlace(count: Int) throws {
        let probe = Probe()
        var context = try context(of: count, probe)
        let copied = try rowsCopied(probe) {
            for id in stride(from: 0, to: count, by: count / 50) {
                try Sample(id: id, value: 1, probe: probe).save(to: &context)
            }
        }
        #expect(copied == 0)
        let added = try rowsCopied(probe) {
            try Sample(id: count, value: 1, probe: probe).save(to: &context)
        }
        #expect(added == 1)
    }

    @Test(
        "a save behind a snapshot copies a page of rows, in a small table as in a large one",
        arguments: [100, 1_000, 20_000])
    func behindSnapshot(count: Int) throws {
        let probe = Probe()
        var context = try context(of: count, probe)
        for id in stride(from: 0, to: count, by: count / 50) {
            let snapshot = context
            let copied = try rowsCopied(probe) {
                try Sample(id: id, value: 2, probe: probe).save(to: &context)
            }
            #expect((1...16).contains(copied), "of \(count) rows")
            #expect((snapshot.find(id) as Sample?)?.value == 0)
        }
    }

    @Test("a link and a deletion behind a snapshot copy pages, too", arguments: [100, 20_000])
    func links(count: Int) throws {
        let probe = Probe()
        var context = try context(of: count, probe)
        let snapshot = context
        let linked = try rowsCopied(probe) {
            try Whole(id: 1, part: .id(count / 2)).save(to: &context)
        }
        #expect(linked <= 16)
        let deleted = try rowsCopied(probe) {
            try Sample.delete(id: count / 3, from: &context)
        }
        #expect(deleted <= 16)
        #expect(snapshot.count(Sample.self) == count)
    }
}
