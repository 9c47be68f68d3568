import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Links of a checkpoint")
struct CheckpointLinksTests {
    private static let chatRelation = RelationNumber(1)
    private static let holders = 300

    /// Chats with lists of several lengths, of which the first is by far the longest; the last ones
    /// were deleted and keep theirs.
    private static func sample() throws -> ReplayState {
        var log = try SampleLog.started()
        log.transaction { encoder in
            let users = (0..<2_000).map { encoder.user("u\($0)") }
            for number in 0..<holders {
                let chat = encoder.chat(100 + number)
                encoder.insert(chat, ordinal: Ordinal(UInt64(number + 2)), row: [])
                let count = number == 0 ? 2_000 : number % 4
                guard count > 0 else { continue }
                encoder.link(
                    chat, relation: chatRelation, oldCount: 0, removals: [],
                    insertions: (0..<count).map {
                        ListChange(position: $0, entity: users[($0 + number) % 2_000])
                    })
            }
        }
        log.transaction { encoder in
            for number in 0..<3 {
                let users = (0..<(number == 0 ? 1_000 : 2)).map { encoder.user("u\($0)") }
                encoder.delete(
                    encoder.chat(100 + holders - 1 - number),
                    ordinal: Ordinal(UInt64(holders + 1 - number)), previous: SampleLog.version(3),
                    row: [], lists: [(chatRelation, users)])
            }
        }
        return try log.replayed()
    }

    private static func loaded(_ state: ReplayState) throws -> ReplayState {
        var parts: [CheckpointPart] = []
        var pages: [[UInt8]] = []
        var encoder = CheckpointEncoder(state.checkpointSource)
        while let part = try encoder.next() {
            parts.append(part)
            pages.append(encoder.withPage { [UInt8]($0) })
        }
        func read(_ page: Int) -> PageBytes {
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: pages[page].count, alignment: 16)
            memory.copyBytes(from: pages[page])
            return PageBytes(memory)
        }
        let loader = try CheckpointLoader(
            parts, rawBytes: pages.map { UInt64($0.count) }, read: read)
        for unit in 0..<loader.unitCount { try loader.perform(unit, read: read) }
        return loader.finish()
    }

    private static func lists(_ state: ReplayState) -> [[UInt32]] {
        let links = state.links(of: TypeNumber(2))[0]
        return (0..<state.counts(of: TypeNumber(2)).slots).map {
            links.targets(of: UInt32($0))
        }
    }

    @Test("Loaded lists take no more memory than their links, however long the longest is")
    func memory() throws {
        let state = try Self.sample()
        let loaded = try Self.loaded(state)
        let table = try #require(loaded.table(TypeNumber(2)))
        let column = table.links[0]
        let total = Self.lists(state).reduce(0) { $0 + $1.count + 1 }
        #expect(column.changed.isEmpty)
        #expect(column.flat.count <= total + 1)
        #expect(column.flat.capacity <= 2 * total + 64)
        #expect(column.places.capacity <= state.counts(of: TypeNumber(2)).slots + 64)
        var kept: [Int] = []
        for lists in table.deletedLists.values {
            for list in lists {
                kept.append(list.slots.count)
                #expect(list.slots.capacity <= list.slots.count + 16)
            }
        }
        #expect(kept.sorted() == [2, 2, 1_000])
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
                    chat, relation: Self.chatRelation, oldCount: 0, removals: [],
                    insertions: (0..<count).map {
                        ListChange(position: $0, entity: users[($0 + number) % mentioned])
                    })
            }
        }
        let state = try log.replayed()
        var encoder = CheckpointEncoder(state.checkpointSource)
        var stretches = 0
        while try encoder.prepare() { stretches += 1 }
        #expect(stretches > (users + chats + mentioned + chats) / 8_192)
        #expect(try !encoder.prepare())

        let loaded = try Self.loaded(state)
        #expect(Self.lists(loaded) == Self.lists(state))
        let former = state.counts(of: TypeNumber(1)).slots
        #expect(loaded.counts(of: TypeNumber(1)).slots == former - (users - mentioned))
    }

    @Test("What is replayed on loaded lists changes those alone", arguments: [31, 32] as [UInt64])
    func changes(seed: UInt64) throws {
        let state = try Self.sample()
        let table = try #require(try Self.loaded(state).table(TypeNumber(2)))
        var column = table.links[0]
        var model = Self.lists(state)
        var random = SeededGenerator(seed: seed)
        for step in 0..<2_000 as Range<UInt32> {
            let slot = Int.random(in: 0..<model.count + 1, using: &random)
            if slot == model.count { model.append([]) }
            let old = model[slot]
            var removals: [LinkColumn.Change] = []
            if !old.isEmpty, Bool.random(using: &random) {
                let position = Int.random(in: 0..<old.count, using: &random)
                removals = [.init(position: position, slot: old[position])]
                model[slot].remove(at: position)
            }
            let position = Int.random(in: 0...model[slot].count, using: &random)
            model[slot].insert(10_000 + step, at: position)
            try column.apply(
                UInt32(slot), oldCount: old.count, removals: removals,
                insertions: [.init(position: position, slot: 10_000 + step)])
            if step % 64 == 0 {
                model[slot] = Array(model[slot].prefix(2))
                column.replace(model[slot], of: UInt32(slot))
            }
        }
        var told: [UInt32: [UInt32]] = [:]
        column.forEachList { told[$0] = Array($1) }
        for slot in model.indices {
            #expect(column.list(of: UInt32(slot)) == model[slot], "seed \(seed)")
            #expect(column.count(of: UInt32(slot)) == model[slot].count, "seed \(seed)")
            #expect(told[UInt32(slot)] ?? [] == model[slot], "seed \(seed)")
        }
        // The table's own column is another value.
        let untouched = (0..<Self.holders).map { table.links[0].list(of: UInt32($0)) }
        #expect(untouched == Array(Self.lists(state).prefix(Self.holders)))
    }

    @Test("Changes of many members at once are those of a list", arguments: [41, 42] as [UInt64])
    func manyChanges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var column = LinkColumn(SampleLog.users.relations[0])
        #expect(SampleLog.users.relations[0].isToMany)
        var model: [[UInt32]] = Array(repeating: [], count: 5)
        for step in 0..<400 as Range<UInt32> {
            let slot = Int.random(in: 0..<model.count, using: &random)
            let old = model[slot]
            let removals = old.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                .map { LinkColumn.Change(position: $0, slot: old[$0]) }
            for removal in removals.reversed() { model[slot].remove(at: removal.position) }
            var insertions: [LinkColumn.Change] = []
            var next = 0
            for number in 0..<Int.random(in: 0..<9, using: &random) {
                let count = model[slot].count
                guard next <= count else { break }
                let position = Int.random(in: next...count, using: &random)
                let member = step * 10 + UInt32(number)
                model[slot].insert(member, at: position)
                insertions.append(.init(position: position, slot: member))
                next = position + 1
            }
            try column.apply(
                UInt32(slot), oldCount: old.count, removals: removals, insertions: insertions)
            #expect(column.list(of: UInt32(slot)) == model[slot], "seed \(seed)")
        }
        for slot in model.indices {
            #expect(column.list(of: UInt32(slot)) == model[slot], "seed \(seed)")
        }
        #expect(throws: EntityFault.self) {
            try column.apply(
                0, oldCount: model[0].count + 1, removals: [], insertions: [])
        }
    }

    @Test("Lists that shrank and moved give their room back, and stay what they were")
    func gaps() throws {
        var column = LinkColumn(SampleLog.users.relations[0])
        let long = Array(0..<20_000 as Range<UInt32>)
        for slot in 0..<200 as Range<UInt32> {
            column.replace(long, of: slot)
            column.replace(slot % 3 == 0 ? [slot, slot + 1] : [], of: slot)
        }
        #expect(column.changed.count < 2_000_000)
        for slot in 0..<200 as Range<UInt32> {
            #expect(column.list(of: slot) == (slot % 3 == 0 ? [slot, slot + 1] : []))
        }
        for slot in 0..<200 as Range<UInt32> {
            let old = column.list(of: slot)
            try column.apply(
                slot, oldCount: old.count, removals: [],
                insertions: [.init(position: old.count, slot: 7)])
            #expect(column.list(of: slot) == old + [7])
        }
    }

    @Test("A relation that becomes to-many takes its links along")
    func becomesToMany() throws {
        let boss = SampleLog.users.relations[1]
        var column = LinkColumn(boss)
        try column.apply(
            3, oldCount: 0, removals: [], insertions: [.init(position: 0, slot: 9)])
        var revised = boss
        revised.isToMany = true
        var wider = LinkColumn(revised, from: column)
        #expect((0..<5).map { wider.list(of: $0) } == [[], [], [], [9], []])
        try wider.apply(
            3, oldCount: 1, removals: [], insertions: [.init(position: 1, slot: 4)])
        #expect(wider.list(of: 3) == [9, 4])
    }
}
