import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Collects what a store says.
private final class Entries: Sendable {
    private let entries = Lock<[StoreLog.Entry]>([])

    var all: [StoreLog.Entry] { entries.withLock { $0 } }

    func log(slowCommit: Duration = .seconds(3_600)) -> StoreLog {
        StoreLog(slowCommit: slowCommit) { [self] entry in entries.withLock { $0.append(entry) } }
    }

    func take() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries.map { "\($0.level) \($0.event)" }
        }
    }

    func last(_ event: StoreLog.Event) -> StoreLog.Entry? { all.last { $0.event == event } }
}

/// As much of swift-log's logger as its users call.
private final class Logger: Sendable {
    enum Level: String { case trace, debug, info, notice, warning, error, critical }
    enum MetadataValue: Equatable, Sendable { case string(String) }

    struct Line: Sendable {
        let level: Level
        let message: String
        let metadata: [String: MetadataValue]
    }

    let lines = Lock<[Line]>([])

    func log(level: Level, _ message: String, metadata: [String: MetadataValue]) {
        lines.withLock { $0.append(Line(level: level, message: message, metadata: metadata)) }
    }
}

@Suite("What a store says to a log")
struct StoreLogTests {
    private let entries = Entries()
    private let disk = SimulatedDisk()

    private func open(
        _ disk: any FileSystem, _ log: StoreLog, mode: Store.Mode = .readWrite,
        durability: Durability = .commit,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), mode: mode,
            durability: durability, retention: .newestState, compactsAutomatically: false, log: log,
            progress: progress,
            types: [Author.self])
    }

    @Test("Opening and compaction are intervals, whose ends say what came of them")
    func intervals() throws {
        let store = try open(disk, entries.log())
        #expect(entries.take() == ["debug opening", "info opening"])
        try store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        let report = try store.compact()
        let compaction = try #require(entries.last(.compaction))
        #expect(compaction.metadata["bytesAfter"] == "\(report.bytesAfter.rawValue)")
        let numbers = entries.all.compactMap(\.interval).map { interval in
            switch interval {
            case .begin(let number), .end(let number, _): number
            }
        }
        #expect(numbers.count == 2 && numbers[0] == numbers[1])
        #expect(entries.take() == ["debug compaction", "info checkpoint", "notice compaction"])
        try store.close()
    }

    @Test("A store that was not closed says how it ended; one that is only read says so in passing")
    func recovery() throws {
        let store = try open(disk, entries.log())
        try store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        _ = entries.take()
        let left = SimulatedDisk(disk.image)
        _ = try open(left, entries.log(), mode: .readOnly)
        #expect(entries.take() == ["debug opening", "info opening", "debug recovery"])
        let reopened = try open(left, entries.log())
        #expect(entries.last(.recovery)?.message == reopened.recovery.description)
        #expect(entries.take() == ["debug opening", "info opening", "notice recovery"])
    }

    @Test("A commit above the bound is told with transaction and label, one below is not")
    func slowCommit() async throws {
        let store = try open(disk, entries.log(slowCommit: .zero))
        _ = entries.take()
        try await store.write("First") { try Author(id: "a", name: "Anna").save(to: &$0) }
        let entry = try #require(entries.last(.slowCommit))
        #expect(entry.level == .warning)
        #expect(entry.metadata["transaction"] == "\(store.lastTransaction)")
        #expect(entry.metadata["label"] == "First")
        try await store.write("Second") { try Author(id: "b", name: "Bob").save(to: &$0) }
        #expect(entries.last(.slowCommit)?.metadata["label"] == "Second")
        _ = entries.take()
        try await store.write { _ in }
        #expect(entries.take().isEmpty)
        let quiet = try open(SimulatedDisk(), entries.log())
        _ = entries.take()
        try await quiet.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        #expect(entries.take().isEmpty)
    }

    @Test(
        "Each batch of an import is told when its commit was slow, also one that is logged beside the next"
    )
    func slowBatches() throws {
        let store = try open(disk, entries.log(slowCommit: .zero), durability: .none)
        _ = entries.take()
        try store.write(each: 0..<3, "Import") { context, batch in
            for number in 0..<1_000 {
                try Author(id: "\(batch) \(number)", name: "Anna").save(to: &context)
            }
        }
        let told = entries.all.filter { $0.event == .slowCommit }
        #expect(told.map { $0.metadata["transaction"] } == ["1", "2", "3"])
        #expect(told.allSatisfy { $0.metadata["label"] == "Import" })
        try store.close()
    }

    @Test("A refused write and a damaged store are told; what a body throws is not")
    func failures() throws {
        struct Refusal: Error {}
        let store = try open(disk, entries.log())
        try store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        _ = entries.take()
        #expect(throws: Refusal.self) { try store.write { _ in throw Refusal() } }
        #expect(throws: StoreError.self) { try store.write { _ in throw StoreError.closed } }
        #expect(entries.take().isEmpty)
        #expect(throws: StoreError.self) { try store.write { _ in try store.write { _ in } } }
        #expect(entries.take() == ["warning refusedWrite"])
        #expect(throws: StoreError.self) { try store.undo(scope: "none") }
        #expect(entries.take() == ["warning refusedWrite"])
        try store.close()
        #expect(throws: StoreError.self) { try store.write { _ in } }
        #expect(entries.take() == ["warning refusedWrite"])
        var image = disk.image
        let segment = try #require(
            image.files.keys.first { $0.hasPrefix("segment") || $0.hasSuffix(".seg") }
                ?? image.files.keys.sorted().last)
        image.files[segment]?[70] ^= 0xFF
        #expect(throws: StoreError.self) { _ = try open(SimulatedDisk(image), entries.log()) }
        #expect(entries.take() == ["debug opening", "error opening", "error damage"])
    }

    @Test(
        "Entities that no type shows are an entry at each opening, with the name that they may have"
    )
    func unread() throws {
        func open(_ mode: Store.Mode, _ types: any EntityModelProtocol.Type...) throws -> Store {
            try Store(
                in: disk, mode: mode, durability: .commit, compactsAutomatically: false,
                log: entries.log(), types: types)
        }
        let full = try open(.readWrite, FullModel.Note.self)
        try full.write { context in
            for id in 1...3 {
                try FullModel.Note(id: id, text: "t", kind: .fax, former: nil).save(to: &context)
            }
            try FullModel.Note.delete(id: 3, from: &context)
            try FullModel.Person(id: "p", name: "P").save(to: &context)
        }
        try full.close()
        #expect(entries.last(.unread) == nil)
        for mode in [Store.Mode.readOnly, .readWrite] {
            _ = entries.take()
            let store = try open(mode, UndeclaredModel.Memo.self)
            let found = entries.all.filter { $0.event == .unread }
            #expect(found.map(\.level) == [.warning, .notice])
            #expect(
                found.map(\.metadata) == [
                    ["type": "Note", "count": "2", "deletedCount": "1", "likelyName": "Memo"],
                    ["type": "Person", "count": "1", "deletedCount": "0"],
                ])
            #expect(found.first?.message.contains("@EntityModel(\"Note\")") == true)
            if mode == .readWrite {
                // The log is as it was left: nothing is counted again.
                try store.suspend()
                _ = entries.take()
                try store.resume()
                #expect(entries.last(.unread) == nil)
            }
            try store.close()
        }
        _ = entries.take()
        try open(.readWrite, LesserModel.Note.self).close()
        let withheld = entries.all.filter { $0.event == .unread }
        #expect(withheld.map(\.level) == [.warning])
        #expect(
            withheld.map(\.metadata) == [
                ["type": "Note", "property": "kind", "count": "3", "id": "1"]
            ])
        #expect(withheld.allSatisfy { !$0.message.contains("fax") })
    }

    @Test("A failed sync is an error once, and the writes behind it are refused")
    func failedSync() throws {
        let store = try open(disk, entries.log())
        try store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        _ = entries.take()
        disk.failNextSynchronize()
        #expect(throws: StoreError.self) {
            try store.write { try Author(id: "b", name: "Bob").save(to: &$0) }
        }
        let entry = try #require(entries.last(.failedSync))
        #expect(entry.metadata["transaction"] == "2" && entry.metadata["error"] != nil)
        #expect(entries.take() == ["error failedSync"])
        #expect(throws: StoreError.self) {
            try store.write { try Author(id: "c", name: "Carl").save(to: &$0) }
        }
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(entries.take() == ["warning refusedWrite"])
    }

    @Test(
        "A sync that nothing waits for is an error as well when it fails", .timeLimit(.minutes(5)))
    func failedSyncInPassing() async throws {
        let store = try open(disk, entries.log(), durability: .interval(.milliseconds(1)))
        _ = entries.take()
        disk.failNextSynchronize()
        try await store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        while entries.last(.failedSync) == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(entries.take() == ["error failedSync"])
    }

    @Test("A compaction of a store that is suspended or closed is given up, and no failure")
    func givenUp() throws {
        let store = try open(disk, entries.log())
        try store.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        for end in [store.suspend, store.close] {
            try end()
            _ = entries.take()
            #expect(throws: StoreError.self) { try store.compact() }
            #expect(entries.last(.compaction)?.message.contains("given up") == true)
            #expect(entries.take() == ["debug compaction", "info compaction"])
        }
    }

    @Test("Resuming is an interval as opening is, whether it succeeds or not")
    func resuming() throws {
        let store = try open(disk, entries.log())
        try store.suspend()
        _ = entries.take()
        try store.resume()
        #expect(entries.all.first?.message.hasPrefix("resuming") == true)
        #expect(entries.take() == ["debug opening", "info opening"])
        try store.suspend()
        disk.corrupt("segment-0000000001") { $0[70] ^= 0xFF }
        #expect(throws: StoreError.self) { try store.resume() }
        #expect(entries.take() == ["debug opening", "error opening", "error damage"])
    }

    @Test("Damage that a reader finds when it refreshes is reported")
    func damageBesideReader() throws {
        let writer = try open(disk, StoreLog { _ in })
        try writer.write { try Author(id: "a", name: "Anna").save(to: &$0) }
        try writer.flush()
        let reader = try open(disk, entries.log(), mode: .readOnly)
        _ = entries.take()
        try writer.write { try Author(id: "b", name: "Needle").save(to: &$0) }
        try writer.flush()
        try writer.write { try Author(id: "c", name: "Carl").save(to: &$0) }
        try writer.close()
        let needle = Array("Needle".utf8)
        disk.corrupt("segment-0000000001") { bytes in
            let place = bytes.indices.first { bytes[$0...].starts(with: needle) }
            if let place { bytes[place] ^= 0xFF }
        }
        #expect(throws: StoreError.self) { try reader.refresh() }
        #expect(entries.take() == ["error damage"])
    }

    @Test("Opening shows its phases in order, and bytes that grow to what there is to replay")
    func progress() throws {
        let store = try open(disk, entries.log())
        for number in 0..<60 {
            try store.write {
                for id in 0..<40 {
                    try Author(id: "\(number) \(id)", name: String(repeating: "x", count: 50))
                        .save(to: &$0)
                }
            }
        }
        try store.close()
        let steps = Lock<[OpeningProgress]>([])
        try open(disk, entries.log()) { step in steps.withLock { $0.append(step) } }.close()
        let found = steps.withLock { $0 }
        var phases: [OpeningProgress.Phase] = []
        for step in found where phases.last != step.phase { phases.append(step.phase) }
        #expect(phases == [.checkpoint, .replay, .entities, .recovery])
        let replayed = found.filter { $0.phase == .replay }
        #expect(replayed.count > 20 && replayed.count < 200)
        #expect(replayed.map(\.bytesReplayed) == replayed.map(\.bytesReplayed).sorted())
        #expect(replayed.first?.bytesReplayed == 0)
        #expect(replayed.allSatisfy { $0.bytesToReplay == replayed[0].bytesToReplay })
        #expect(replayed.last?.bytesReplayed == replayed.last?.bytesToReplay)
    }

    @Test(
        "What receives the progress of an opening goes when that ends, and no resumption calls it")
    func progressEnds() throws {
        final class Receiver: Sendable {
            let steps = Lock(0)
        }
        for mode in [Store.Mode.readWrite, .readOnly] {
            weak var released: Receiver?
            var store: Store?
            do {
                let receiver = Receiver()
                released = receiver
                store = try open(disk, entries.log(), mode: mode) { _ in
                    receiver.steps.withLock { $0 += 1 }
                }
                #expect(receiver.steps.withLock { $0 } > 0)
            }
            #expect(released == nil)
            if mode == .readWrite { try store?.close() }
            withExtendedLifetime(store) {}
        }
    }

    @Test("A logger of swift-log takes entries as Docs/INTERFACE.md says")
    func logger() throws {
        let logger = Logger()
        let log = StoreLog(slowCommit: .milliseconds(50)) { entry in
            logger.log(
                level: Logger.Level(rawValue: entry.level.rawValue)!, "\(entry.message)",
                metadata: entry.metadata.mapValues { .string($0) })
        }
        try Store.inMemory(log: log, Author.self).close()
        let lines = logger.lines.withLock { $0 }
        #expect(lines.map(\.level) == [.debug, .info])
        #expect(lines.last?.metadata["transaction"] == .string("0"))
    }

    @Test("The levels are those of swift-log, by their names")
    func levels() {
        #expect(
            StoreLog.Level.allCases.map(\.rawValue) == [
                "debug", "info", "notice", "warning", "error",
            ])
    }
}
