import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("States in checkpoints")
struct StateCheckpointTests {
    struct Pages {
        var parts: [CheckpointPart] = []
        var bytes: [[UInt8]] = []

        init(of state: State) throws {
            var encoder = CheckpointEncoder(state.checkpointSource)
            while let part = try encoder.next() {
                parts.append(part)
                bytes.append(encoder.withPage { [UInt8]($0) })
            }
        }

        func read(_ page: Int) -> PageBytes {
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: bytes[page].count, alignment: 16)
            memory.copyBytes(from: bytes[page])
            return PageBytes(memory)
        }

        func load() throws -> State {
            let decoder = try CheckpointDecoder(
                parts, rawBytes: bytes.map { UInt64($0.count) }, read: read)
            var loader = StateLoader(decoder)
            // Pages are decoded in any order, and added in theirs.
            let decoded = try decoder.pages.reversed().map {
                try decoder.decode(read($0), ofPage: $0)
            }
            for page in decoded.reversed() { try loader.add(page) }
            return loader.finish()
        }
    }

    @Test("A random state comes back from its checkpoint, and goes on like it", arguments: 1...30)
    func random(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var state = State()
        for _ in 0..<30 { state = try state.applying(model.transaction()) }
        var loaded = try Pages(of: state).load()
        #expect(try loaded.contentDigest() == state.contentDigest(), "seed \(seed)")
        #expect(loaded.oneSidedLink() == state.oneSidedLink(), "seed \(seed)")
        // Rows are in the newest of several definitions.
        let opened = try State.open(MemorySource(loaded.image().bytes)).state
        let digest = try opened.reading { try opened.contentDigest() }
        #expect(try digest == state.contentDigest(), "seed \(seed)")
        for definition in state.catalog.definitions {
            let type = definition.number
            #expect(loaded.counts(of: type).live == state.counts(of: type).live)
            #expect(loaded.counts(of: type).tombstones == state.counts(of: type).tombstones)
            #expect(loaded.nextOrdinal(of: type) == state.nextOrdinal(of: type), "seed \(seed)")
            var cursor = try #require(loaded.entries(of: type))
            while let entry = cursor.nextEntry() {
                #expect(loaded.slot(of: type, id: entry.id) == entry.slot, "seed \(seed)")
            }
        }
        for _ in 0..<20 {
            let transaction = try model.transaction()
            (state, loaded) = (try state.applying(transaction), try loaded.applying(transaction))
        }
        #expect(try loaded.digest() == state.digest(), "seed \(seed)")
    }

    @Test("Large rows, long lists and many ids come back, and can be changed")
    func large() throws {
        var log = try SampleLog.started()
        let relation = RelationNumber(1)
        try log.transaction { encoder in
            let users = (0..<3_000).map { encoder.user("u\($0)") }
            for (number, user) in users.enumerated() {
                let name = String(repeating: "n", count: number % 97 == 0 ? 2_000 : number % 50)
                encoder.insert(
                    user, ordinal: Ordinal(UInt64(number + 3)), row: try SampleLog.row(name, number)
                )
            }
            for number in 0..<100 {
                let chat = encoder.chat(100 + number)
                encoder.insert(chat, ordinal: Ordinal(UInt64(number + 2)), row: [])
                let count = [0, 1, 31, 32, 33, 500][number % 6]
                guard count > 0 else { continue }
                encoder.link(
                    chat, relation: relation, oldCount: 0, removals: [],
                    insertions: (0..<count).map {
                        ListChange(position: $0, entity: users[($0 + number) % 3_000])
                    })
            }
        }
        log.transaction { encoder in
            encoder.delete(
                encoder.chat(199), ordinal: Ordinal(101), previous: SampleLog.version(3), row: [],
                lists: [(relation, (0..<40).map { encoder.user("u\($0)") })])
        }
        let state = try log.state()
        let loaded = try Pages(of: state).load()
        #expect(try loaded.contentDigest() == state.contentDigest())
        #expect(try loaded.chat(199) == state.chat(199))
        // Each leaf is made once, no larger than its lists, however long the longest is.
        #expect(loaded.store.pageCount <= state.store.pageCount)
        log.transaction { encoder in
            encoder.link(
                encoder.chat(105), relation: relation, oldCount: 500,
                removals: [ListChange(position: 0, entity: encoder.user("u5"))],
                insertions: [ListChange(position: 400, entity: encoder.user("ann"))])
        }
        let last = try #require(log.transactions.last)
        #expect(try loaded.applying(last).digest() == state.applying(last).digest())
    }

    @Test("Entities are numbered in many stretches, and those that nothing mentions get no number")
    func stretches() throws {
        let (mentioned, users, chats) = (20_000, 21_000, 9_000)
        var log = try SampleLog.started()
        log.transaction { encoder in
            let users = (0..<users).map { encoder.user("u\($0)") }
            for number in 0..<chats {
                let chat = encoder.chat(100 + number)
                encoder.insert(chat, ordinal: Ordinal(UInt64(number + 2)), row: [])
                // The longest list is longer than a stretch, and lies between others.
                let count = number == 50 ? mentioned : number % 4
                guard count > 0 else { continue }
                encoder.link(
                    chat, relation: RelationNumber(1), oldCount: 0, removals: [],
                    insertions: (0..<count).map {
                        ListChange(position: $0, entity: users[($0 + number) % mentioned])
                    })
            }
        }
        let state = try log.state()
        var encoder = CheckpointEncoder(state.checkpointSource)
        var stretches = 0
        while try encoder.prepare() { stretches += 1 }
        #expect(stretches > (users + chats + mentioned + chats) / 8_192)
        #expect(try !encoder.prepare())

        let loaded = try Pages(of: state).load()
        for slot in 0..<UInt32(state.counts(of: TypeNumber(2)).slots) {
            #expect(
                loaded.targets(of: TypeNumber(2), at: Slot(slot), relation: 0)
                    == state.targets(of: TypeNumber(2), at: Slot(slot), relation: 0))
        }
        let former = state.counts(of: TypeNumber(1)).slots
        #expect(loaded.counts(of: TypeNumber(1)).slots == former - (users - mentioned))
    }

    @Test("Lists out of order, and two targets of a relation to one, are refused with their page")
    func refused() throws {
        var log = try SampleLog.started()
        log.transaction { encoder in
            encoder.link(
                encoder.user("ann"), relation: RelationNumber(2), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: encoder.user("bob"))])
        }
        var pages = try Pages(of: log.state())
        let page = try #require(
            pages.parts.firstIndex {
                $0.kind == .links && $0.type == TypeNumber(1) && $0.relation == RelationNumber(2)
            })
        // Holder 0, one target, slot 1: as a difference with sign.
        #expect(pages.bytes[page] == [0, 1, 2])
        pages.bytes[page] = [0, 2, 2, 0]
        #expect(throws: CheckpointContentError.self) { try pages.load() }
        pages.bytes[page] = [0, 1, 2, 9]
        #expect(throws: CheckpointContentError.self) { try pages.load() }
    }
}
