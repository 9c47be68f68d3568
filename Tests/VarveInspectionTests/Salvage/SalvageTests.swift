import Foundation
import Testing
import VarveEvents
import VarveLog
import VarveTestSupport

@testable import VarveInspection

@Suite("Salvage")
struct SalvageTests {
    @Test("A sound store is brought over whole, under an identity of its own")
    func sound() throws {
        let files = try SampleFiles(segmentBytesMax: 400)
        let salvaged = try files.salvage()
        #expect(salvaged.report.isComplete && salvaged.report.transactions == 9)
        #expect(salvaged.report.first == LogSequence(1) && salvaged.report.last == LogSequence(9))
        #expect(salvaged.report.source == SampleFiles.store(of: files.files))
        #expect(salvaged.report.store != salvaged.report.source)
        #expect(try salvaged.entities() == SampleFiles.entities(in: files.directory()))
        #expect(try salvaged.payloads() == SampleFiles.payloads(in: files.directory()))
    }

    @Test("Of every block that is zeroed, exactly the transactions in it are lost")
    func everyBlock() throws {
        let files = try SampleFiles(segmentBytesMax: 700)
        let original = try SampleFiles.payloads(in: files.directory())
        for (name, bytes) in files.files.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: bytes.count, by: 48) {
                var damaged = files
                let block = start..<min(start + 48, bytes.count)
                guard bytes[block].contains(where: { $0 != 0 }) else { continue }
                damaged.files[name]?.replaceSubrange(
                    block, with: repeatElement(0, count: block.count))
                let place = Comment(rawValue: "\(name), \(block)")
                let before = damaged.files
                let salvaged = try damaged.salvage()
                #expect(damaged.files == before, place)
                let lost = try files.transactions(in: name, block)
                try salvaged.expectSound(place)
                // Where the block also held what promised it, it is cut as at any opening.
                if salvaged.report.unpromisedTail != nil {
                    #expect(salvaged.report.last.rawValue >= (lost.min() ?? 10) - 1, place)
                    continue
                }
                #expect(salvaged.lost == lost, place)
                #expect(salvaged.report.transactions == 9 - UInt64(lost.count), place)
                #expect(!salvaged.report.isComplete, place)
                let adjusted = Set(salvaged.report.adjusted.map(\.transaction.rawValue))
                for (number, payload) in try salvaged.payloads()
                where !lost.contains(number) && !adjusted.contains(number) {
                    #expect(payload == original[number], place)
                }
            }
        }
    }

    @Test("Without a manifest the segments say what the store was")
    func noManifest() throws {
        var files = try SampleFiles(segmentBytesMax: 400)
        files.files["manifest-0000000001"] = nil
        let salvaged = try files.salvage()
        #expect(salvaged.report.transactions == 9 && salvaged.report.lost.isEmpty)
        #expect(salvaged.report.damages.map(\.reason) == ["it is missing"])
        try salvaged.expectSound()
    }

    @Test("Without any segment header the frames say how they are to be read")
    func noHeaders() throws {
        var files = try SampleFiles(segmentBytesMax: 400)
        let whole = try SampleFiles.entities(in: files.directory())
        let names = files.files.keys.filter { $0.hasPrefix("segment") }
        for name in names {
            files.files[name]?.replaceSubrange(0..<128, with: repeatElement(0xFF, count: 128))
        }
        let salvaged = try files.salvage()
        #expect(salvaged.report.transactions == 9 && salvaged.report.lost.isEmpty)
        // The last, empty segment has no frame to tell.
        #expect(salvaged.report.damages.count == names.count)
        #expect(try salvaged.entities() == whole)
        try salvaged.expectSound()
    }

    @Test("A missing first segment: history begins behind it, with the definitions of the next")
    func noFirstSegment() throws {
        var files = try SampleFiles(segmentBytesMax: 400)
        files.files["segment-0000000001"] = nil
        let salvaged = try files.salvage()
        let first = salvaged.report.first.rawValue
        #expect(first > 1 && salvaged.lost == Set(1..<first))
        #expect(salvaged.report.transactions == 10 - first)
        #expect(salvaged.report.checkpoint == .none)
        try salvaged.expectSound()
        // What was inserted again behind the loss is there, with nothing made up.
        let bob = try salvaged.inspection().entity(of: "User", id: "bob")
        #expect(bob.transaction == TransactionID(7))
    }

    @Test("A missing segment in the middle is named, and empty transactions stand for what it held")
    func noMiddleSegment() throws {
        var files = try SampleFiles(segmentBytesMax: 400)
        let lost = try files.transactions(in: "segment-0000000002", 0..<10_000)
        #expect(!lost.isEmpty)
        files.files["segment-0000000002"] = nil
        let salvaged = try files.salvage()
        #expect(salvaged.lost == lost)
        #expect(salvaged.report.damages.map(\.file) == ["segment-0000000002"])
        let standIn = try salvaged.inspection()
            .transaction(TransactionID(try #require(lost.min()))).summary
        #expect(standIn.label == "Lost from a damaged store" && standIn.eventCount == 0)
        try salvaged.expectSound()
    }

    @Test("A whole checkpoint is the state where the log below is gone")
    func checkpoint() throws {
        var files = try SampleFiles(segmentBytesMax: 400, compacting: .everything)
        let whole = try SampleFiles.entities(in: files.directory())
        for name in files.files.keys where name.hasPrefix("segment") { files.files[name] = nil }
        files.files["manifest-0000000002"] = nil
        let salvaged = try files.salvage()
        #expect(salvaged.report.checkpoint == LogSequence(9))
        #expect(salvaged.report.transactions == 0 && salvaged.report.first == LogSequence(10))
        #expect(try salvaged.entities() == whole)
        try salvaged.expectSound()
    }

    @Test("A savepoint in history that is lost does not keep a rescued store from being compacted")
    func lostSavepoint() throws {
        let store = try SampleStore(segmentBytesMax: 400)
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction("Mark") {
            $0.metadata = [Timeline.Key.savepoint: "then"]
        } events: { _ in
        }
        for number in 1...6 {
            try store.transaction { encoder in
                let user = encoder.user("user \(number)")
                encoder.insert(
                    user, UInt64(number), try SampleStore.user("A user", bio: "longer \(number)"))
            }
        }
        try store.close()
        var files = try SampleFiles(of: store, compacting: .everything)
        for name in files.files.keys where name.hasPrefix("segment") { files.files[name] = nil }
        let salvaged = try files.salvage()
        _ = try StoreCompaction.compact(salvaged.directory, retaining: Retention.newestState)
        try salvaged.expectSound()
    }

    @Test("Of the history before a checkpoint what joins it stays, the rest is said to be folded")
    func historyBeforeCheckpoint() throws {
        var files = try SampleFiles(segmentBytesMax: 400, compacting: .everything)
        let whole = try SampleFiles.entities(in: files.directory())
        let lost = try files.transactions(in: "segment-0000000002", 0..<10_000)
        files.files["segment-0000000002"] = nil
        let salvaged = try files.salvage()
        let next = try #require(lost.max()) + 1
        #expect(salvaged.report.first.rawValue == next)
        #expect(salvaged.report.checkpoint == LogSequence(9))
        #expect(salvaged.report.folded.map(\.first) == [LogSequence(1)])
        #expect(salvaged.report.transactions == 10 - next)
        #expect(try salvaged.entities() == whole)
        try salvaged.expectSound()
    }

    @Test("Without manifest and with a damaged checkpoint the log alone is enough, if it is whole")
    func damagedCheckpoint() throws {
        var files = try SampleFiles(segmentBytesMax: 400, compacting: .everything)
        let whole = try SampleFiles.entities(in: files.directory())
        files.files["checkpoint-0000000001"]?[200] ^= 1
        files.files["manifest-0000000002"] = nil
        let salvaged = try files.salvage()
        #expect(salvaged.report.checkpoint == .none && salvaged.report.transactions == 9)
        #expect(try salvaged.entities() == whole)
        #expect(salvaged.report.damages.map(\.file).contains("checkpoint-0000000001"))
    }

    @Test("What counts on a lost transaction is made to fit, and listed")
    func adjusted() throws {
        var files = try SampleFiles()
        // The deletion of bob, which transaction 7 takes back.
        try files.damage(transaction: 6)
        let salvaged = try files.salvage()
        #expect(salvaged.lost == [6])
        #expect(salvaged.report.adjusted.map(\.transaction) == [LogSequence(7)])
        #expect(
            salvaged.report.adjusted.first?.changes.first
                == #"User "bob": inserted, but it exists; made to fit"#)
        let whole = try SampleFiles.entities(in: SampleFiles().directory())
        #expect(try salvaged.entities() == whole)
        try salvaged.expectSound()
    }

    @Test("No value is made up: changes of an entity that is lost are left out")
    func nothingInvented() throws {
        var files = try SampleFiles()
        try files.damage(transaction: 2)
        let salvaged = try files.salvage()
        #expect(salvaged.lost == [2])
        let changes = salvaged.report.adjusted.flatMap(\.changes)
        #expect(changes.contains("Chat 7: changed, but it does not exist; left out"))
        // Bob came back whole by transaction 7; the others never did.
        let users = try salvaged.inspection().entities(of: "User")
        #expect(users.count == 1)
        #expect(try users.entity(at: 0).id.json == "\"bob\"")
        try salvaged.expectSound()
    }

    @Test("A segment that begins with frames of other places is read by its last ones")
    func movedFrames() throws {
        var files = try SampleFiles()
        let name = "segment-0000000001"
        let last = try files.start(of: 9)
        // Header and frames, all 64 bytes before their places: whole, and more than the one that is left.
        let moved = try #require(files.files[name])[64..<last]
        files.files[name]?.replaceSubrange(0..<(last - 64), with: moved)
        let salvaged = try files.salvage()
        #expect(!salvaged.lost.contains(9), "\(salvaged.report)")
        #expect(salvaged.report.last == LogSequence(9), "\(salvaged.report.damages)")
        try salvaged.expectSound()
    }

    @Test("A page that is written over the first one of its segment costs what that held")
    func movedPage() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        for number in 1...400 {
            try store.transaction { encoder in
                let user = encoder.user("user \(number)")
                encoder.insert(user, UInt64(number), try SampleStore.user("A user"))
            }
        }
        try store.close()
        var files = try SampleFiles(of: store)
        let name = "segment-0000000001"
        let page = try #require(files.files[name])[(5 << 12)..<(6 << 12)]
        files.files[name]?.replaceSubrange(0..<(1 << 12), with: page)
        let overwritten = try files.transactions(in: name, 0..<(1 << 12))
        let salvaged = try files.salvage()
        #expect(salvaged.lost.subtracting(overwritten).isEmpty, "\(salvaged.report)")
        #expect(salvaged.report.last == LogSequence(401))
    }

    @Test("Of an order of saves the part stays whose saves stay")
    func saveOrder() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        for (name, ordinal) in [("ann", 1), ("bob", 2), ("cy", 3)] as [(String, UInt64)] {
            try store.transaction { encoder in
                encoder.insert(encoder.user(name), ordinal, try SampleStore.user(name))
            }
        }
        try store.transaction { encoder in
            var orders: [EntitySaveOrder] = []
            for (name, previous) in [("cy", 4), ("bob", 3), ("ann", 2)] as [(String, UInt64)] {
                let user = encoder.user(name)
                encoder.update(
                    user, previous, SampleStore.users, 1, [0], try Int64?(30).stored())
                let order = UInt32(orders.count + 1)
                orders.append(EntitySaveOrder(entity: user, now: order, before: 0))
            }
            encoder.saveOrders(orders)
        }
        try store.close()
        var files = try SampleFiles(of: store)
        try files.damage(transaction: 3)
        let salvaged = try files.salvage()
        #expect(salvaged.lost == [3])
        try salvaged.expectSound()
        let payload = try #require(salvaged.payloads()[5])
        let kept = try payload.withUnsafeBytes { bytes in
            let view = try TransactionView(bytes)
            var kept: [String] = []
            var events = view.events
            while let event = try events.next() {
                guard case .saveOrder(let event) = event else { continue }
                for order in event.orders {
                    let id = view.entities[Int(order.entity.rawValue)].id
                    kept.append("\(String(decoding: id.dropFirst(), as: UTF8.self)) \(order.now)")
                }
            }
            return kept
        }
        #expect(kept == ["cy 1", "ann 3"])
    }

    @Test("A directory that is not empty is left alone, and one without a store is named")
    func refused() throws {
        let files = try SampleFiles()
        let taken = try files.directory()
        #expect(throws: LogError.targetExists(directory: "taken")) {
            try StoreSalvage.salvage(from: files.directory(), to: taken)
        }
        let empty = MemoryFileSystem(name: "empty")
        #expect(throws: LogError.missing(directory: "empty")) {
            try StoreSalvage.salvage(from: empty, to: MemoryFileSystem())
        }
        try empty.createDirectory()
        #expect(throws: LogError.self) {
            try StoreSalvage.salvage(from: empty, to: MemoryFileSystem())
        }
    }

    @Test("Hostile numbers neither trap nor make a huge store")
    func hostile() throws {
        var generator = SeededGenerator(seed: 11)
        let files = try SampleFiles(segmentBytesMax: 400, compacting: .transactions(4))
        let names = files.files.keys.sorted()
        for _ in 0..<300 {
            var damaged = files
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                guard let name = names.randomElement(using: &generator),
                    let count = damaged.files[name]?.count, count > 0
                else { continue }
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: damaged.files[name] = nil
                case 1:
                    let kept = Int.random(in: 0..<count, using: &generator)
                    damaged.files[name] = damaged.files[name]?.prefix(kept)
                default:
                    let place = Int.random(in: 0..<count, using: &generator)
                    damaged.files[name]?[place] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            do {
                let salvaged = try damaged.salvage()
                try salvaged.expectSound()
            } catch let error as LogError {
                guard case .notAStore = error else { throw error }
            }
        }
    }
}
