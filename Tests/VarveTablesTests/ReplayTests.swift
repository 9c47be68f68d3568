import Testing
import VarveEvents
import VarveTables
import VarveTestSupport

@Suite("Replay")
struct ReplayTests {
    private func changes(_ name: (String, String)) throws -> FieldChanges {
        var changes = FieldChanges()
        try _FieldCodec.change(0, "name", name.0, name.1, into: &changes)
        return changes
    }

    @Test("Inserts, updates, links and deletions lead to the state they tell")
    func life() throws {
        var log = try SampleLog.started()
        var state = try log.state()
        #expect(try state.user("ann") == "name=\"Ann\" age=30 chats=[7] #1 @2")
        #expect(try state.chat(7) == "members=[\"ann\",\"bob\"] #1 @2")
        try log.transaction { encoder in
            encoder.update(
                encoder.user("ann"), previous: SampleLog.version(2),
                changes: try changes(("Ann", "Anna")), fields: SampleLog.users.fields)
            encoder.link(
                encoder.user("bob"), relation: RelationNumber(2), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: encoder.user("ann"))])
        }
        try log.transaction { encoder in
            let ann = encoder.user("ann")
            encoder.link(
                encoder.chat(7), relation: RelationNumber(1), oldCount: 2,
                removals: [ListChange(position: 0, entity: ann)], insertions: [])
            encoder.delete(
                ann, ordinal: Ordinal(1), previous: SampleLog.version(3),
                row: try SampleLog.row("Anna", 30),
                lists: [(RelationNumber(1), [encoder.chat(7)])])
        }
        state = try log.state()
        // Links lead to a deleted entity as long as no event removes them.
        #expect(try state.user("bob") == "name=\"Bob\" age=null boss=[\"ann\"] #2 @2")
        #expect(
            try state.user("ann") == "deleted name=\"Anna\" age=30 chats=[7] #1 @4")
        #expect(try state.chat(7) == "members=[\"bob\"] #1 @2")
        #expect(
            state.counts(of: TypeNumber(1)) == TypeCounts(live: 1, tombstones: 1, slots: 2))
        try log.transaction { encoder in
            encoder.insert(
                encoder.user("ann"), ordinal: Ordinal(1), previous: SampleLog.version(4),
                row: try SampleLog.row("Ann", nil))
        }
        state = try log.state()
        // Its own links stood all the time; only rows come and go with inserts and deletions.
        #expect(try state.user("ann") == "name=\"Ann\" age=null chats=[7] #1 @5")
        #expect(state.slotsInOrder(of: TypeNumber(1)) == [Slot(0), Slot(1)])
        #expect(state.nextOrdinal(of: TypeNumber(1)) == Ordinal(3))
        #expect(state.lastTransaction == 5)
    }

    @Test("A purge, and a deletion for good, end the chain of versions")
    func endOfChain() throws {
        var log = try SampleLog.started()
        let bob = try SampleLog.row("Bob", nil)
        log.transaction { encoder in
            encoder.delete(
                encoder.user("bob"), ordinal: Ordinal(2), previous: SampleLog.version(2), row: bob)
        }
        log.transaction(.purge) { $0.purge([$0.user("bob")]) }
        log.transaction { encoder in
            encoder.insert(encoder.user("bob"), ordinal: Ordinal(3), row: bob)
        }
        log.transaction { encoder in
            encoder.delete(
                encoder.user("bob"), keepsTombstone: false, ordinal: Ordinal(3),
                previous: SampleLog.version(5), row: bob)
        }
        var state = try log.state()
        #expect(try state.user("bob") == nil)
        log.transaction { encoder in
            encoder.delete(
                encoder.user("bob"), isRowless: true, ordinal: Ordinal(4), previous: nil, row: bob)
        }
        state = try log.state()
        #expect(try state.user("bob") == "deleted name=\"Bob\" age=null #4 @7")
    }

    private func fault(_ body: (inout TransactionEncoder) throws -> Void) throws -> String {
        var log = try SampleLog.started()
        let state = try log.state()
        try log.transaction { try body(&$0) }
        do {
            _ = try state.applying(log.transactions[2])
            return "none"
        } catch let error as ReplayError {
            return "\(error)"
        }
    }

    @Test("What does not follow from the state is refused, naming transaction, type and id")
    func faults() throws {
        let ann = try SampleLog.row("Ann", 30)
        let second = SampleLog.version(2)
        #expect(
            try fault { $0.insert($0.user("ann"), ordinal: Ordinal(3), previous: second, row: ann) }
                == "transaction 3: User \"ann\": inserted, but it exists")
        #expect(
            try fault { $0.insert($0.user("eve"), ordinal: Ordinal(3), previous: second, row: ann) }
                == "transaction 3: User \"eve\": follows transaction 2, but the newest is none")
        #expect(
            try fault { $0.insert($0.user("eve"), ordinal: Ordinal(3), row: ann + [1]) }
                == "transaction 3: User \"eve\": malformed row: 1 byte left over at offset 6")
        #expect(
            try fault {
                $0.update(
                    $0.user("eve"), previous: second, changes: try changes(("a", "b")),
                    fields: SampleLog.users.fields)
            } == "transaction 3: User \"eve\": changed, but it does not exist")
        #expect(
            try fault {
                $0.update(
                    $0.user("ann"), previous: second, changes: try changes(("Bob", "b")),
                    fields: SampleLog.users.fields)
            } == "transaction 3: User \"ann\": 'name' had another value before")
        #expect(
            try fault {
                $0.update(
                    $0.user("ann"), previous: SampleLog.version(1),
                    changes: try changes(("Ann", "b")), fields: SampleLog.users.fields)
            } == "transaction 3: User \"ann\": follows transaction 1, but the newest is "
                + "transaction 2")
        #expect(
            try fault { $0.delete($0.user("ann"), ordinal: Ordinal(2), previous: second, row: ann) }
                == "transaction 3: User \"ann\": has ordinal 1, the event says 2")
        #expect(
            try fault {
                $0.delete(
                    $0.user("ann"), ordinal: Ordinal(1), previous: second,
                    row: try SampleLog.row("Ann", 31))
            } == "transaction 3: User \"ann\": deleted with another row than it has")
        #expect(
            try fault { $0.purge([$0.user("ann")]) }
                == "transaction 3: User \"ann\": purged, but it has no tombstone")
    }

    @Test("Links that do not fit their list are refused")
    func linkFaults() throws {
        func link(
            _ relation: UInt32, _ oldCount: Int, remove: [(Int, String)] = [],
            insert: [(Int, String)] = [], from parent: String = "chat"
        ) throws -> String {
            try fault { encoder in
                let holder = parent == "chat" ? encoder.chat(7) : encoder.user(parent)
                encoder.link(
                    holder, relation: RelationNumber(relation), oldCount: oldCount,
                    removals: remove.map {
                        ListChange(position: $0.0, entity: encoder.user($0.1))
                    },
                    insertions: insert.map {
                        ListChange(position: $0.0, entity: encoder.user($0.1))
                    })
            }
        }
        #expect(
            try link(1, 3, insert: [(3, "eve")])
                == "transaction 3: Chat 7: 'members' has 2 links, the event says 3")
        #expect(
            try link(1, 2, remove: [(0, "bob")])
                == "transaction 3: Chat 7: 'members' holds another entity at position 0")
        #expect(
            try link(9, 0, insert: [(0, "eve")]) == "transaction 3: Chat 7: has no relation 9")
        #expect(
            try link(1, 1, insert: [(0, "eve")], from: "ann")
                == "transaction 3: User \"ann\": 'chats' holds entities of another type")
        #expect(
            try link(2, 0, insert: [(0, "eve"), (1, "bob")], from: "ann")
                == "transaction 3: User \"ann\": 'boss' holds one entity at most")
        #expect(try link(1, 2, remove: [(1, "bob")], insert: [(0, "eve")]) == "none")
    }

    @Test("Transactions out of order, of unknown types and with foreign ids are refused")
    func order() throws {
        var log = try SampleLog.started()
        #expect(throws: ReplayError.outOfOrder(found: 2, expected: 1)) {
            try State().applying(log.transactions[1])
        }
        log.transaction { $0.purge([$0.entity(TypeNumber(9), bytes: [1])]) }
        #expect(throws: ReplayError.unknownType(3, TypeNumber(9))) { try log.state() }
        var other = try SampleLog.started()
        other.transaction { $0.purge([$0.entity(TypeNumber(1), bytes: [9, 9])]) }
        #expect(throws: ReplayError.self) { try other.state() }
    }

    @Test("Definitions must lead to defined types by the end of their transaction")
    func references() throws {
        var log = SampleLog()
        try log.transaction(.schema) { try $0.define(SampleLog.users) }
        #expect(
            throws: ReplayError.definition(
                1, .unknownTarget(type: "User", property: "chats", target: TypeNumber(2)))
        ) { try log.state() }
    }

    @Test("Rows of an older revision are brought to the layout that is asked for")
    func revisions() throws {
        var log = try SampleLog.started()
        var revised = SampleLog.users
        revised.fields = [
            FieldDefinition(
                number: FieldNumber(3), name: "email", type: .string, rung: .storable,
                fill: [1, 0x2D]),
            FieldDefinition(
                number: FieldNumber(1), name: "name", type: .optional(.string), rung: .storable),
            revised.fields[1],
        ]
        revised.relations[1].isToMany = true
        try log.transaction { encoder in
            encoder.link(
                encoder.user("bob"), relation: RelationNumber(2), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: encoder.user("ann"))])
            try encoder.define(revised)
            encoder.link(
                encoder.user("bob"), relation: RelationNumber(2), oldCount: 1, removals: [],
                insertions: [ListChange(position: 1, entity: encoder.user("bob"))])
        }
        var changes = FieldChanges()
        try _FieldCodec.change(0, "email", "-", "a@b", into: &changes)
        try _FieldCodec.change(2, "age", Int?.some(30), 31, into: &changes)
        log.transaction { encoder in
            encoder.update(
                encoder.user("ann"), previous: SampleLog.version(2), changes: changes,
                fields: revised.fields)
        }
        let state = try log.state()
        #expect(
            try state.user("ann") == "email=\"a@b\" name=\"Ann\" age=31 chats=[7] #1 @4")
        #expect(
            try state.user("bob")
                == "email=\"-\" name=\"Bob\" age=null boss=[\"ann\",\"bob\"] #2 @2")
        var target = revised
        target.fields.swapAt(0, 2)
        guard var reader = state.reader(of: TypeNumber(1), as: target) else {
            Issue.record("The type is there")
            return
        }
        #expect(
            try reader.read(Slot(1)) { [UInt8]($0.row) }
                == [0x00, 0x01, 0x03, 0x42, 0x6F, 0x62, 0x01, 0x2D])
        // A row of the newest revision in another order of the same fields.
        #expect(
            try reader.read(Slot(0)) { [UInt8]($0.row) }
                == [0x01, 0x3E, 0x01, 0x03, 0x41, 0x6E, 0x6E, 0x03, 0x61, 0x40, 0x62])
    }

    @Test("Rows that grow again and again do not pile up, and stay right")
    func growth() throws {
        var log = try SampleLog.started()
        var name = "Ann"
        for round in 1...600 {
            let longer = String(repeating: "\(round % 10)", count: round * 10)
            try log.transaction { encoder in
                encoder.update(
                    encoder.user("ann"), previous: SampleLog.version(UInt64(round + 1)),
                    changes: try changes((name, longer)), fields: SampleLog.users.fields)
            }
            name = longer
        }
        let state = try log.state()
        #expect(try state.user("ann")?.hasPrefix("name=\"\(name)\" age=30") == true)
        #expect(try state.user("bob") == "name=\"Bob\" age=null #2 @2")
    }

    @Test("A digest tells states apart and forgets the order of slots")
    func digest() throws {
        var first = SampleLog()
        var second = SampleLog()
        for order in [true, false] {
            var log = SampleLog()
            try log.transaction(.schema) { encoder in
                try encoder.define(SampleLog.users)
                try encoder.define(SampleLog.chats)
            }
            try log.transaction { encoder in
                let names = ["ann", "bob"]
                for name in order ? names : names.reversed() {
                    encoder.insert(
                        encoder.user(name), ordinal: Ordinal(name == "ann" ? 1 : 2),
                        row: try SampleLog.row(name, 1))
                }
            }
            if order { first = log } else { second = log }
        }
        #expect(try first.state().digest() == (try second.state().digest()))
        let before = try first.state().digest()
        first.transaction { encoder in
            encoder.link(
                encoder.user("ann"), relation: RelationNumber(2), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: encoder.user("bob"))])
        }
        #expect(try first.state().digest() != before)
    }

    @Test("A transaction is described field by field by the definitions of its time")
    func description() throws {
        var log = try SampleLog.started()
        try log.transaction { encoder in
            encoder.update(
                encoder.user("ann"), previous: SampleLog.version(2),
                changes: try changes(("Ann", "Anna")), fields: SampleLog.users.fields)
            encoder.link(
                encoder.chat(7), relation: RelationNumber(1), oldCount: 2,
                removals: [ListChange(position: 1, entity: encoder.user("bob"))], insertions: [])
        }
        var renamed = SampleLog.users
        renamed.fields[0].name = "title"
        try log.transaction(.schema) { try $0.define(renamed) }
        let catalog = try log.state().catalog
        let description = try log.transactions[2].withUnsafeBytes {
            try TransactionDescription(TransactionView($0), catalog: catalog)
        }
        #expect(description.events.count == 2)
        guard case .update(let entity, _, let changes) = description.events[0],
            case .values(let old, let new) = changes[0].content,
            case .link(let link) = description.events[1]
        else {
            Issue.record("An update and a link were written")
            return
        }
        #expect(entity.typeName == "User")
        #expect(entity.id.json == "\"ann\"")
        #expect(changes[0].name == "name")
        #expect(old.json == "\"Ann\"")
        #expect(new.json == "\"Anna\"")
        #expect(link.relation == "members")
        #expect(link.parent.id.json == "7")
        #expect(link.removals[0].entity.id.json == "\"bob\"")
    }

    @Test("Damaged transactions never trap the replay or the description")
    func damagedReplay() throws {
        var log = try SampleLog.started()
        var changes = FieldChanges()
        try _FieldCodec.change(0, "name", "Ann", "Anna", into: &changes)
        log.transaction { encoder in
            let ann = encoder.user("ann")
            let chat = encoder.chat(7)
            encoder.update(
                ann, previous: SampleLog.version(2), changes: changes,
                fields: SampleLog.users.fields)
            encoder.link(
                ann, relation: RelationNumber(1), oldCount: 1,
                removals: [ListChange(position: 0, entity: chat)], insertions: [])
            encoder.delete(
                chat, ordinal: Ordinal(1), previous: SampleLog.version(2), row: [],
                lists: [(RelationNumber(1), [ann])])
        }
        let transactions = log.transactions
        for (index, transaction) in transactions.enumerated() {
            // A state before the newest cannot be changed: each variant has one of its own.
            for variant in damaged(transaction) {
                var state = State()
                for earlier in transactions[..<index] { state = try state.applying(earlier) }
                do {
                    _ = try state.applying(variant).digest()
                } catch {
                    #expect(error is ReplayError || error is EventError || error is CodecError)
                }
                variant.withUnsafeBytes { bytes in
                    guard let view = try? TransactionView(bytes) else { return }
                    _ = try? TransactionDescription(view, catalog: state.catalog)
                }
            }
        }
    }

    @Test("Events of later versions are counted and passed over")
    func unknownEvents() throws {
        // form, id 1, time 0, write, flags, no entities, two events
        let state = try State().applying(Hex.bytes("01 01 00 00 00 00 02 81 03 aa bb cc 90 00"))
        #expect(state.unknownEventCount == 2)
    }

    @Test("An id that no entity can have is refused by the event that needs it, and only by that")
    func malformedID() throws {
        var log = try SampleLog.started()
        log.transaction { encoder in
            // Named, and not needed.
            _ = encoder.entity(TypeNumber(1), bytes: [9, 1])
            _ = encoder.user("eve")
            encoder.insert(encoder.chat(9), ordinal: Ordinal(2), row: [])
        }
        #expect(try log.state().counts(of: TypeNumber(1)).slots == 3)
        try log.transaction { encoder in
            encoder.insert(
                encoder.entity(TypeNumber(1), bytes: [9, 1]), ordinal: Ordinal(3),
                row: try SampleLog.row("Eve", 1))
        }
        let error = #expect(throws: ReplayError.self) { try log.state() }
        guard case .entity(TransactionID(4), "User", _, .invalidID) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
