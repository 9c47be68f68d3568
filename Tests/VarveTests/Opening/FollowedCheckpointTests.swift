import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import Varve

private enum Grade: Int { case low, middle, high }

@EntityModel
private struct Fruit: Equatable {
    @Index<Self>(\.weight) private var byWeight
    @Unique<Self>(\.code, collisions: .throw) private var byCode

    let id: Int
    var code = ""
    var weight = 0
    var text = ""
    @Relationship(deleteRule: .nullify, inverse: \.fruits) var tree: FruitTree?

    init(_ number: Int, change: Int = 0) {
        id = number
        code = "code \(number)"
        weight = (number + change) % 300
        text = "fruit \(number), change \(change) " + String(repeating: "x", count: number % 40)
    }
}

@EntityModel
private struct FruitTree: Equatable {
    let id: Int
    @Relationship(inverse: \.tree) var fruits: [Fruit]?
}

/// Its rows are tried by each compaction that does not know that they were.
@EntityModel
private struct Sample: Equatable {
    let id: Int
    var grade = Grade.low
}

/// Under a memory budget a state follows the log. Compactions make their checkpoints of it.
@Suite("Checkpoints of a followed state")
struct FollowedCheckpointTests {
    private static func open(
        _ disk: any FileSystem, memory: MemoryBudget = .megabytes(1),
        _ retention: Retention = .everything
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite,
            durability: retention == .everything ? .none : .commit, retention: retention,
            compactsAutomatically: false, memory: memory,
            types: [Fruit.self, FruitTree.self, Sample.self], waitingSlotsMin: 1,
            build: BuildIdentity(1, 2))
    }

    private static func save(
        _ numbers: some Sequence<Int>, change: Int = 0, in store: Store
    ) throws {
        try store.write { context in
            for number in numbers { try Fruit(number, change: change).save(to: &context) }
        }
    }

    private static func expect(
        _ numbers: Range<Int>, change: (Int) -> Int, in store: Store,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let context = store.context
        let wrong = numbers.filter { context.find($0) != Fruit($0, change: change($0)) }
        #expect(wrong.isEmpty, sourceLocation: location)
        let byWeight = Fruit.filter(\.weight == 77).resolve(in: context)
            .count { numbers.contains($0.id) }
        let expected = numbers.count { ($0 + change($0)) % 300 == 77 }
        #expect(byWeight == expected, sourceLocation: location)
    }

    /// A store whose tables were renewed behind a checkpoint.
    private static func renewed(
        _ disk: any FileSystem, _ retention: Retention = .everything
    ) throws -> Store {
        let store = try Self.open(disk, memory: .megabytes(1), retention)
        try Self.save(0..<6_000, in: store)
        try store.compact()
        try Self.save(0..<2_000, change: 1, in: store)
        store.writer?.renewTables()
        return store
    }

    /// Where no history is kept, compactions remove segments that the state has read.
    @Test(
        "A checkpoint is made of the state that follows the log, which then goes on with it",
        arguments: [Retention.everything, .newestState])
    func compactions(retention: Retention) throws {
        let directory = try TemporaryDirectory()
        let disk = POSIXFileSystem(directory.url.path)
        let store = try Self.renewed(disk, retention)
        for round in 2...6 {
            try Self.save(0..<2_000, change: round, in: store)
            try store.write { context in
                try FruitTree(id: round).save(to: &context)
                for number in 0..<50 {
                    var fruit = Fruit(number * 7, change: round)
                    fruit.$tree = .id(round)
                    try fruit.save(to: &context)
                }
                try Fruit.delete(id: 5_999 - round, from: &context)
                try Sample(id: round, grade: .high).save(to: &context)
            }
            try store.undo()
            try store.redo()
            var phases: Set<CompactionProgress.Phase> = []
            try store.compact { progress in
                guard phases.insert(progress.phase).inserted else { return }
                // The state goes on while its image is written.
                try? Self.save(4_000..<4_200, change: round, in: store)
                store.writer?.renewTables()
            }
            #expect(phases.contains(.writing) && !phases.contains(.reading))
            Self.expect(0..<5_900, change: { Self.change(of: $0, after: round) }, in: store)
        }
        #expect(store.writer?.renewal.checkpointCount == 5)
        try Self.expectTried(in: store)
        try store.close()
        let reopened = try Self.open(disk, memory: .standard)
        Self.expect(0..<5_900, change: { Self.change(of: $0, after: 6) }, in: reopened)
        #expect(Fruit.query(5_995).resolve(in: reopened.context) == nil)
        let tree = try #require(FruitTree.query(6).id(\.$fruits).resolve(in: reopened.context))
        #expect(tree.$fruits.heldIDs == (0..<50).map { $0 * 7 })
        #expect(reopened.context.count(Sample.self) == 5)
        #expect(Sample.query(4).resolve(in: reopened.context)?.grade == .high)
        guard retention == .everything else { return }
        // Of the sample, twice.
        for _ in 0..<3 { try reopened.undo() }
        Self.expect(
            0..<5_900, change: { (4_000..<4_200).contains($0) ? 5 : Self.change(of: $0, after: 6) },
            in: reopened)
    }

    /// Of the rows that are tried, one was set behind the last checkpoint.
    private static func expectTried(in store: Store) throws {
        try store.write { try Sample(id: 4, grade: .middle).save(to: &$0) }
        let writer = try #require(store.writer)
        try writer.advanceFollowed {}
        var tried: TriedRows?
        writer.renewal.withFollowed { tried = $0.state?.tried }
        let setRows = try #require(tried?.setRows)
        let types = setRows.types
        #expect(types.count == 1 && types.allSatisfy { setRows[$0].count == 1 })
        try store.write { try Sample(id: 4, grade: .high).save(to: &$0) }
    }

    private static func change(of number: Int, after round: Int) -> Int {
        (0..<2_000).contains(number) || (4_000..<4_200).contains(number) ? round : 0
    }

    @Test(
        "Where segments go that the state has read, it goes on, without steps that went with them")
    func withoutHistory() throws {
        let store = try Self.renewed(SimulatedDisk(), .newestState)
        let writer = try #require(store.writer)
        for round in 2...5 {
            // Nothing is written, and no table renewed, before the next round.
            try Self.save(0..<500, change: round, in: store)
            let floor = writer.floor
            try store.compact()
            var state: State?
            writer.renewal.withFollowed { state = $0.state?.state }
            let timeline = try #require(state?.timeline)
            #expect(Self.bytes(of: timeline) == Self.bytes(of: timeline.trimmed(below: floor)))
        }
        #expect(writer.renewal.checkpointCount == 4)
    }

    private static func bytes(of timeline: Timeline) -> [UInt8] {
        var writer = ByteWriter()
        timeline.encode(into: &writer)
        return writer.copyBytes()
    }

    @Test("A state that another one has replaced meanwhile does not go on with the checkpoint")
    func replacedMeanwhile() throws {
        let disk = SimulatedDisk()
        let store = try Self.renewed(disk)
        var isReplaced = false
        try store.compact { progress in
            guard progress.phase == .writing, !isReplaced else { return }
            isReplaced = true
            store.writer?.renewal.withFollowed { $0 = TableRenewal.Followed() }
            try? Self.save(2_000..<4_000, change: 1, in: store)
            store.writer?.renewTables()
        }
        #expect(isReplaced && store.writer?.renewal.checkpointCount == 0)
        try Self.save(4_000..<5_000, change: 1, in: store)
        store.writer?.renewTables()
        try store.compact()
        #expect(store.writer?.renewal.checkpointCount == 1)
        Self.expect(0..<6_000, change: { $0 < 5_000 ? 1 : 0 }, in: store)
        try store.close()
        Self.expect(
            0..<6_000, change: { $0 < 5_000 ? 1 : 0 }, in: try Self.open(disk, memory: .standard))
    }

    @Test("A compaction that was cancelled leaves the state to the next one")
    func cancelled() throws {
        let disk = SimulatedDisk()
        let store = try Self.renewed(disk)
        let compactor = try #require(store.compactor)
        #expect(throws: StoreError.self) {
            try store.compact { progress in
                guard progress.phase == .writing else { return }
                try? Self.save(3_000..<3_001, change: 9, in: store)
                Thread.detachNewThread { try? compactor.stop() }
                while !compactor.isCancelled { sched_yield() }
            }
        }
        compactor.allow(behindOthers: false)
        try Self.save(2_000..<2_500, change: 1, in: store)
        try store.compact()
        #expect(store.writer?.renewal.checkpointCount == 1)
        try store.close()
        Self.expect(
            0..<6_000, change: { $0 == 3_000 ? 9 : $0 < 2_500 ? 1 : 0 },
            in: try Self.open(disk, memory: .standard))
    }

    @Test("Where the state lacks an index, the checkpoint is made of the files")
    func missingIndex() throws {
        let disk = SimulatedDisk()
        let store = try Self.renewed(disk)
        store.writer?.renewal.withFollowed { followed in
            try? followed.state?.makeIndexes([TypeNumber(1): []], keyBytesMax: 1 << 20) { false }
        }
        var isRead = false
        try store.compact { isRead = isRead || $0.phase == .reading }
        #expect(isRead && store.writer?.renewal.checkpointCount == 0)
        Self.expect(0..<6_000, change: { $0 < 2_000 ? 1 : 0 }, in: store)
    }
}
