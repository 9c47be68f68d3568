import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Transactions as bytes")
struct TransactionTests {
    /// A transaction that uses every event and every part of the header.
    static func everything() throws -> [UInt8] {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(
            id: 9, time: Timestamp(microseconds: 1_000), kind: .undo(of: 8), label: "Undo",
            scope: "editor", group: "g1", author: "ann", metadata: ["b": "2", "a": "1"])
        encoder.begin(id: header.id, time: header.time)
        try encoder.define(SampleLog.users)
        let ann = encoder.user("ann")
        let chat = encoder.chat(7)
        let bob = encoder.user("bob")
        let row = try SampleLog.row("Ann", 30)
        encoder.insert(ann, ordinal: Ordinal(4), previous: SampleLog.version(3), row: row)
        var changes = FieldChanges()
        try _FieldCodec.change(0, "name", "Bob", "Rob", into: &changes)
        try _FieldCodec.change(1, "age", Int?.none, 5, into: &changes)
        encoder.update(
            bob, previous: SampleLog.version(9), changes: changes,
            fields: SampleLog.users.fields)
        encoder.delete(
            chat, ordinal: Ordinal(2), previous: SampleLog.version(8), cause: .cascade(of: bob),
            row: [], lists: [(RelationNumber(1), [ann, bob])])
        encoder.delete(
            chat, keepsTombstone: true, isRowless: true, ordinal: Ordinal(3), previous: nil,
            cause: .upsert(by: ann), row: [])
        encoder.link(
            ann, relation: RelationNumber(1), oldCount: 5,
            removals: [
                ListChange(position: 0, entity: chat), ListChange(position: 4, entity: chat),
            ],
            insertions: [ListChange(position: 1, entity: chat)])
        encoder.link(
            ann, relation: RelationNumber(1), oldCount: 0, removals: [],
            insertions: [
                ListChange(position: 0, entity: chat), ListChange(position: 1, entity: chat),
            ]
        )
        encoder.purge([bob, ann])
        encoder.formerlyGone(ann, previous: SampleLog.version(2))
        row.withUnsafeBytes {
            encoder.formerTombstone(
                bob, ordinal: Ordinal(6), previous: SampleLog.version(5), row: $0,
                lists: [(RelationNumber(1), [chat, ann])])
        }
        encoder.withdraw(chat)
        encoder.depart(ann)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        return writer.copyBytes()
    }

    @Test("A transaction reads back as it was written")
    func roundTrip() throws {
        try withBytes(try Self.everything()) { (bytes) throws(EventError) in
            let view = try TransactionView(bytes)
            #expect(view.header.kind == .undo(of: 8))
            #expect(view.header.label == "Undo")
            #expect(view.header.scope == "editor")
            #expect(view.header.group == "g1")
            #expect(view.header.author == "ann")
            #expect(view.header.metadata == ["a": "1", "b": "2"])
            #expect(view.header.isUndoable)
            #expect(view.entities.map(\.type.rawValue) == [1, 2, 1])
            #expect(
                view.entities.map { [UInt8]($0.id) } == [[3] + "ann".utf8, [14], [3] + "bob".utf8])
            #expect(view.eventCount == 12)
            var events = view.events
            var seen: [String] = []
            while let event = try events.next() { seen.append(Self.text(event)) }
            #expect(
                seen == [
                    "define 1", "insert 0 #4 after 3@3000",
                    "update 2 after 9@9000: 0: 03 42 6f 62 > 03 52 6f 62, 1: 00 > 01 0a",
                    "delete 1 #2 after 8@8000 cascade 2 tombstone [1: 0,2]",
                    "delete 1 #3 upsert 0 tombstone rowless []",
                    "link 0.1 of 5: -0:1 -4:1 +1:1", "link 0.1 of 0: +0:1 +1:1", "purge 2,0",
                    "former 0 after 2@2000",
                    "former 2 after 5@5000 #6 03 41 6e 6e 01 3c [1: 1,0]", "withdraw 1", "depart 0",
                ])
        }
    }

    private static func text(_ event: TransactionEvent) -> String {
        func text(_ version: PreviousVersion?) -> String {
            version.map { " after \($0.transaction)@\($0.updatedAt.microseconds)" } ?? ""
        }
        func text(_ entities: EntitySequence) -> String {
            entities.map { "\($0.rawValue)" }.joined(separator: ",")
        }
        switch event {
        case .saveOrder(let event):
            return "saves "
                + event.orders.map { "\($0.entity.rawValue): \($0.before) > \($0.now)" }
                .joined(separator: ", ")
        case .define(let event): return "define \((try? event.definition())?.number.rawValue ?? 0)"
        case .insert(let event):
            return "insert \(event.entity.rawValue) #\(event.ordinal)\(text(event.previous))"
        case .update(let event):
            let changes = event.changes.map { position, change in
                guard case .values(let old, let new) = change else { return "splice" }
                return "\(position): \(Hex.text([UInt8](old))) > \(Hex.text([UInt8](new)))"
            }
            return "update \(event.entity.rawValue)\(text(event.previous)): "
                + changes.joined(separator: ", ")
        case .delete(let event):
            let cause =
                switch event.cause {
                case .direct: ""
                case .cascade(let entity): " cascade \(entity.rawValue)"
                case .upsert(let entity): " upsert \(entity.rawValue)"
                }
            let lists = event.lists.map { "\($0.relation.rawValue): \(text($0.entities))" }
            return "delete \(event.entity.rawValue) #\(event.ordinal)\(text(event.previous))"
                + cause + (event.keepsTombstone ? " tombstone" : "")
                + (event.isRowless ? " rowless" : "") + " [\(lists.joined(separator: "; "))]"
        case .link(let event):
            let changes =
                event.removals.map { " -\($0.position):\($0.entity.rawValue)" }
                + event.insertions.map { " +\($0.position):\($0.entity.rawValue)" }
            return "link \(event.parent.rawValue).\(event.relation) of \(event.oldCount):"
                + changes.joined()
        case .purge(let event): return "purge \(text(event.entities))"
        case .former(let event):
            let tombstone = event.tombstone.map { tombstone in
                let lists = tombstone.lists.map { "\($0.relation.rawValue): \(text($0.entities))" }
                return " #\(tombstone.ordinal) \(Hex.text([UInt8](tombstone.row)))"
                    + " [\(lists.joined(separator: "; "))]"
            }
            return "former \(event.entity.rawValue)\(text(event.previous))" + (tombstone ?? "")
        case .withdraw(let event): return "withdraw \(event.entity.rawValue)"
        case .depart(let event): return "depart \(event.entity.rawValue)"
        case .unknown(let tag, let bytes): return "unknown \(tag) \(bytes.count)"
        }
    }

    @Test("Every truncation and every damaged byte is a typed error or another valid transaction")
    func damage() throws {
        let bytes = try Self.everything()
        var refused = 0
        for variant in damaged(bytes) {
            let outcome: Result<String, EventError> = withBytes(variant) { bytes in
                do throws(EventError) {
                    let view = try TransactionView(bytes)
                    var events = view.events
                    var text = ""
                    while let event = try events.next() { text += Self.text(event) }
                    return .success(text)
                } catch {
                    return .failure(error)
                }
            }
            if case .failure(let error) = outcome {
                refused += 1
                #expect(error.offset <= variant.count)
            }
        }
        #expect(refused > bytes.count)
        for length in 0..<bytes.count {
            #expect(throws: EventError.self, "cut at \(length)") {
                try withBytes(Array(bytes[..<length])) { (bytes) throws(EventError) in
                    try TransactionView(bytes).check()
                }
            }
        }
    }

    @Test("Unknown events that carry their length are passed over; others are refused")
    func unknownEvents() throws {
        // form, id 1, time 0, write, flags, no entities, two events
        let head = Hex.bytes("01 01 00 00 00 00 02")
        let skippable = head + Hex.bytes("81 03 aa bb cc 90 00")
        try withBytes(skippable) { (bytes) throws(EventError) in
            var events = try TransactionView(bytes).events
            guard case .unknown(0x81, let content) = try events.next() else {
                Issue.record("An unknown event is told")
                return
            }
            #expect([UInt8](content) == [0xAA, 0xBB, 0xCC])
            guard case .unknown(0x90, let rest) = try events.next() else {
                Issue.record("An unknown event is told")
                return
            }
            #expect(rest.isEmpty)
            #expect(try events.next() == nil)
        }
        let refused = head + Hex.bytes("07 00")
        #expect(throws: EventError.unknownEvent(offset: 7, tag: 7)) {
            try withBytes(refused) { (bytes) throws(EventError) in
                try TransactionView(bytes).check()
            }
        }
        #expect(throws: EventError.unknownForm(offset: 0, found: 2)) {
            try withBytes([2]) { (bytes) throws(EventError) in try TransactionView(bytes).check() }
        }
    }

    @Test(
        "Hostile parts are refused with their offset",
        arguments: [
            // events after: form, id 1, time 0, write, flags, one run of type 1 with id "a", 1 event
            ("02 01 01 00 00", "entity out of range"),
            ("02 00 00 00 00", "ordinal 0"),
            ("02 00 80 80 80 80 80 80 20 00 00", "ordinal with no room behind it"),
            ("02 00 01 02 00 00", "previous before the first"),
            ("03 00 00 00", "update of nothing"),
            ("05 00 01 00 00 00 00", "link of nothing"),
            ("05 00 01 00 00 01 00 00", "removal from an empty list"),
            ("05 00 01 01 00 00 01 02 00", "insertion beyond the end"),
            ("05 00 01 02 01 02 01 00 00 00", "run beyond the end"),
            ("04 00 02 01 00 00 00 00", "rowless without tombstone"),
            ("04 00 01 01 00 03 00 00", "unknown cause"),
            ("04 00 01 01 00 00 00 02 02 00 01 00", "lists out of order"),
            ("02 00 01 00 00 00", "trailing byte"),
        ])
    func hostileParts(event: String, name: String) {
        let bytes = Hex.bytes("01 01 00 00 00 01 01 01 02 01 61 01 " + event)
        #expect(throws: EventError.self, "\(name)") {
            try withBytes(bytes) { (bytes) throws(EventError) in
                try TransactionView(bytes).check()
            }
        }
    }

    @Test("An entity is in the table once, however often it is mentioned")
    func interning() throws {
        var encoder = TransactionEncoder()
        for round in 1...3 {
            encoder.begin(id: 1, time: Timestamp(microseconds: 0))
            var first: [EntityIndex] = []
            for number in 0..<2_000 {
                first.append(encoder.user("user-\(number)"))
                if number % 7 == 0 { first.append(encoder.chat(number)) }
            }
            let count = encoder.entityCount
            #expect(Set(first).count == count)
            var again: [EntityIndex] = []
            for number in 0..<2_000 {
                again.append(encoder.user("user-\(number)"))
                if number % 7 == 0 { again.append(encoder.chat(number)) }
            }
            #expect(again == first, "round \(round)")
            #expect(encoder.entityCount == count)
            encoder.purge(first)
            var writer = ByteWriter()
            encoder.finish(
                TransactionHeader(id: 1, time: Timestamp(microseconds: 0)), into: &writer)
            try withBytes(writer.copyBytes()) { (bytes) throws(EventError) in
                let view = try TransactionView(bytes)
                try view.check()
                #expect(view.entities.count == count)
            }
        }
    }

    @Test(
        "One that is appended to a list is written as any other change of a list",
        arguments: [0, 3, 200])
    func appendedLink(oldCount: Int) {
        func bytes(_ link: (inout TransactionEncoder, EntityIndex, EntityIndex) -> Void) -> [UInt8]
        {
            var encoder = TransactionEncoder()
            let header = TransactionHeader(id: 7, time: Timestamp(microseconds: 0))
            encoder.begin(id: header.id, time: header.time)
            let (chat, user) = (encoder.chat(1), encoder.user("a"))
            link(&encoder, chat, user)
            var writer = ByteWriter()
            encoder.finish(header, into: &writer)
            return writer.copyBytes()
        }
        let appended = bytes { encoder, chat, user in
            encoder.link(
                chat, relation: RelationNumber(2), oldCount: oldCount, appended: user)
        }
        let changed = bytes { encoder, chat, user in
            encoder.link(
                chat, relation: RelationNumber(2), oldCount: oldCount, removals: [],
                insertions: [ListChange(position: oldCount, entity: user)])
        }
        #expect(appended == changed)
    }

    @Test("Any two times have a distance")
    func extremeTimes() throws {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(id: 5, time: Timestamp(microseconds: .max))
        encoder.begin(id: header.id, time: header.time)
        let previous = PreviousVersion(transaction: 1, updatedAt: Timestamp(microseconds: .min))
        encoder.insert(encoder.user("a"), ordinal: Ordinal(1), previous: previous, row: [])
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        try withBytes(writer.copyBytes()) { (bytes) throws(EventError) in
            var events = try TransactionView(bytes).events
            guard case .insert(let event) = try events.next() else {
                Issue.record("An insert was written")
                return
            }
            #expect(event.previous == previous)
        }
    }

    @Test("CRC-32C of the standard check text")
    func checksum() {
        #expect(withBytes(Array("123456789".utf8)) { Checksum.crc32c($0) } == 0xE306_9283)
    }
}
