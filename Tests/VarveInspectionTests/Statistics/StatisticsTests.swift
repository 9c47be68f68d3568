import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import VarveInspection

@Suite("Statistics of an inspected store")
struct StatisticsTests {
    static let now = Moment(microseconds: SampleStore.start + 3_600_000_000)

    private func gather(_ store: SampleStore) throws -> InspectedStatistics {
        try InspectedStatistics.gather(at: store.path, now: Self.now)
    }

    @Test("Types have their live entities, their events and the bytes of both")
    func types() throws {
        let statistics = try gather(SampleStore.filled())
        #expect(statistics.types.map(\.type.name) == ["User", "Chat"])
        let (user, chat) = (statistics.types[0], statistics.types[1])
        #expect(user.live == 2 && user.deleted == 0 && chat.live == 1)
        // Rows as they are encoded, and ids with their lengths inside.
        let ann = try SampleStore.user("Ann", 30, bio: "X" + SampleStore.longText.dropFirst())
        let bob = try SampleStore.user("Bob")
        #expect(user.liveBytes.rawValue == UInt64(ann.count + bob.count + 2 * 4))
        let title = try SampleStore.chat("Hello, world", seen: 0.25)
        #expect(chat.liveBytes.rawValue == UInt64(title.count + 1))
        #expect(user.insertions == 4 && user.updates == 2 && user.deletions == 2)
        #expect(chat.insertions == 1 && chat.updates == 1 && chat.deletions == 0)
        #expect(user.links == 3 && chat.links == 2)
        let bio = try #require(user.fields.first { $0.name == "bio" })
        #expect(bio.live.rawValue == UInt64(SampleStore.longText.utf8.count + 2 + 1))
        #expect(bio.history.rawValue > bio.live.rawValue)
        let title2 = try #require(chat.fields.first { $0.name == "title" })
        // Inserted as "Hello", changed to "Hello, world" with both sides.
        #expect(title2.live.rawValue == 13 && title2.history.rawValue == 6 + 6 + 13)
    }

    @Test("The log, its labels, authors and scopes add up to what it holds")
    func names() throws {
        let store = try SampleStore.filled()
        let statistics = try gather(store)
        let inspection = try Inspection(at: store.path)
        var walk = inspection.transactions(.oldestFirst)
        var (count, stored, raw, events) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        while let transaction = try walk.next() {
            count += 1
            stored += transaction.storedBytes.rawValue
            raw += transaction.rawBytes.rawValue
            events += UInt64(transaction.eventCount)
        }
        #expect(statistics.log.transactions == count && count == 9)
        #expect(statistics.log.stored.rawValue == stored && statistics.log.raw.rawValue == raw)
        #expect(statistics.log.events == events)
        for names in [statistics.labels, statistics.authors, statistics.scopes] {
            #expect(names.entries.reduce(0) { $0 + $1.amount.transactions } == count)
            #expect(names.entries.reduce(0) { $0 + $1.amount.stored.rawValue } == stored)
        }
        #expect(statistics.labels.entries.first { $0.name == "Rename chat" }?.first.id == 3)
        #expect(statistics.labels.entries.first { $0.name == nil }?.amount.transactions == 3)
        #expect(Set(statistics.authors.entries.map(\.name)) == [nil, "ann"])
        let periods = statistics.periods.periods
        #expect(periods.reduce(0) { $0 + $1.amount.transactions } == count && periods.count <= 96)
        #expect(
            periods.reduce(0) { sum, period in
                sum + period.labels.values.reduce(0) { $0 + $1.stored.rawValue }
            } == stored)
        let growth = periods.reduce(0) { $0 + ($1.types[1]?.growth ?? 0) }
        #expect(growth == 2)
        #expect(statistics.largestTransactions.first?.label == "Import")
        #expect(statistics.largestTransactions.count == 9)
        #expect(statistics.first?.id == 1 && statistics.last?.id == 9)
    }

    @Test("Types in segments, other events and headers are no more than the segment")
    func files() throws {
        let statistics = try gather(SampleStore.filled(segmentBytesMax: 600))
        let segments = statistics.files.filter { $0.kind == .segment }
        #expect(segments.count > 2)
        #expect(segments.reduce(0) { $0 + $1.transactions } == 9)
        for segment in segments {
            let known = segment.types.values.reduce(0) { $0 + $1.rawValue }
            #expect(known <= segment.bytes.rawValue)
            #expect(segment.transactions == 0 || known > 0)
        }
        let stored = statistics.types.reduce(0) { $0 + $1.stored.rawValue }
        #expect(stored <= statistics.log.stored.rawValue)
    }

    @Test("Changes are counted behind the insertion, and entities by the length of their rows")
    func entities() throws {
        let statistics = try gather(SampleStore.filled())
        let changed = statistics.mostChanged.entities.map {
            "\($0.entity.type) \($0.entity.id.json) \($0.figure) \($0.transaction)"
        }
        // The chat: renamed, and four changes of its list.
        #expect(changed.first == "Chat 7 5 8")
        #expect(changed.contains("User \"ann\" 1 4"))
        #expect(statistics.mostChanged.missed == 0)
        #expect(statistics.largestEntities.map(\.entity.id.json) == ["\"ann\"", "7", "\"bob\""])
    }

    @Test("A compacted store counts its checkpoints and what is left of its history")
    func compacted() throws {
        let store = try SampleStore.filled()
        _ = try StoreCompaction.compact(at: store.path, retaining: Retention.newestState)
        let statistics = try gather(store)
        #expect(statistics.types.map(\.live) == [2, 1] && statistics.log.transactions == 0)
        #expect(statistics.first == nil && statistics.health.isSound)
        // Their segment stays for the case that the checkpoint is damaged.
        #expect(statistics.belowFloor.transactions == 9 && statistics.labels.entries.isEmpty)
        #expect(statistics.types.allSatisfy { $0.history == .zero && $0.insertions == 0 })
        #expect(statistics.files.first { $0.kind == .segment }?.transactions == 9)
        let checkpoint = try #require(statistics.files.first { $0.kind == .checkpoint })
        #expect(checkpoint.last == 9 && Set(checkpoint.types.keys) == [1, 2])
        #expect(checkpoint.types.values.reduce(0) { $0 + $1.rawValue } < checkpoint.bytes.rawValue)
    }

    @Test("Of a store that opens, damage in a sealed segment is counted around")
    func damaged() throws {
        var files = try SampleFiles(segmentBytesMax: 600)
        try files.damage(transaction: 3)
        let statistics = try InspectedStatistics.gather(files.directory(), now: Self.now)
        #expect(!statistics.health.isSound && statistics.log.transactions == 8)
        #expect(statistics.health.missing == [3...3])
        #expect(statistics.health.damages.contains { $0.transaction == 3 })
        #expect(statistics.health.stateTransaction == 2)
        #expect(statistics.health.stateProblem == "transaction 3 is missing")
        #expect(statistics.types.map(\.live) == [3, 1])
    }

    @Test("A store that does not open is counted all the same", arguments: [9, 2])
    func refused(transaction: UInt64) throws {
        var files = try SampleFiles()
        try files.damage(transaction: transaction)
        let statistics = try InspectedStatistics.gather(files.directory(), now: Self.now)
        #expect(statistics.health.refusal != nil && statistics.health.state == nil)
        #expect(statistics.log.transactions == 8)
        #expect(statistics.health.damages.contains { $0.transaction?.rawValue == transaction })
        #expect(statistics.health.stateTransaction?.rawValue == transaction - 1)
    }

    @Test("No damage of one byte ends the counting, or makes it report more than there is")
    func everyByte() throws {
        let sound = try SampleFiles(segmentBytesMax: 600, compacting: .transactions(20))
        for (name, content) in sound.files.sorted(by: { $0.key < $1.key }) {
            for offset in stride(from: 0, to: content.count, by: 7) {
                var files = sound
                files.files[name]?[offset] ^= 0x40
                let statistics: InspectedStatistics
                do {
                    statistics = try InspectedStatistics.gather(files.directory(), now: Self.now)
                } catch InspectionError.log(let error) {
                    // A version, a feature or a name that this one does not know.
                    #expect(!error.isAboutContent, "\(name) \(offset): \(error)")
                    continue
                }
                #expect(statistics.log.transactions <= 9, "\(name) \(offset)")
                #expect(statistics.types.count <= 2, "\(name) \(offset)")
            }
        }
    }

    @Test("An empty store has nothing of everything")
    func empty() throws {
        let store = try SampleStore()
        try store.close()
        let statistics = try gather(store)
        #expect(statistics.types.isEmpty && statistics.log == InspectedStatistics.Amount())
        #expect(statistics.periods.periods.isEmpty && statistics.health.isSound)
        #expect(statistics.first == nil && statistics.labels.entries.isEmpty)
    }
}
