import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@EntityModel("Note")
struct NumberedNote: Equatable {
    @AutoIncrement let id: Int
    var text: String
    @Relationship var next: NumberedNote? = nil
}

/// As an app had it before the store gave the ids.
@EntityModel("Note")
struct PlainNote: Equatable {
    let id: Int
    var text: String
    @Relationship var next: PlainNote? = nil
}

@EntityModel
private struct Other {
    let id: Int
}

@EntityModel
private struct Late {
    @AutoIncrement let id: Int
    var text = ""
}

@Suite("Ids that a store gives")
struct AutoIncrementStoreTests {
    typealias Note = NumberedNote
    private struct Refusal: Error {}

    private let disk = SimulatedDisk()

    func open(
        _ types: any EntityModelProtocol.Type..., retention: Retention = .newestState
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .commit, retention: retention, compactsAutomatically: false,
            types: types.isEmpty ? [Note.self, Other.self] : types)
    }

    /// The id that the store gives next.
    @discardableResult
    func next(_ store: Store, _ text: String = "next") throws -> Int {
        try store.write { try $0.create(Note(text: text)).id }
    }

    @Test(
        "An id is not given again after deletion, undo, redo and rewind, and reopening and compaction between them"
    )
    func notAgain() throws {
        var store = try open(retention: .standard)
        func renew(_ compacts: Bool) throws {
            if compacts { try store.compact() }
            try store.close()
            store = try open(retention: .standard)
        }
        #expect(try next(store) == 1)
        try store.write { try Note.delete(id: 1, from: &$0) }
        try renew(false)
        #expect(try next(store) == 2)
        try store.undo()
        try renew(true)
        #expect(try next(store) == 3)
        try store.rewind(to: .transaction(1))
        try renew(true)
        #expect(try next(store) == 4)
        try store.undo()
        try store.redo()
        try store.undo()
        try renew(false)
        #expect(try next(store) == 5)
        #expect(Note.query().resolve(in: store.context).map(\.id) == [1, 5])
    }

    @Test(
        "An undone insertion is forgotten by a compaction that keeps no history, and its id is not given again"
    )
    func forgotten() throws {
        var store = try open()
        try next(store)
        try next(store)
        try store.undo()
        try store.undo()
        for _ in 0..<2 {
            try store.compact()
            try store.close()
            store = try open()
        }
        #expect(try next(store) == 3)
    }

    @Test("Numbers of transactions that fail are left out as long as the process runs")
    func rolledBack() throws {
        let store = try open()
        var seen: [Int] = []
        for _ in 0..<2 {
            #expect(throws: Refusal.self) {
                try store.write {
                    seen.append(try $0.create(Note(text: "lost")).id)
                    throw Refusal()
                }
            }
        }
        #expect(try next(store) == 3)
        try store.suspend()
        try store.resume()
        #expect(seen == [1, 2])
        #expect(try next(store) == 4)
    }

    @Test("A number that a logged transaction gave to what it took away again is in the log")
    func passing() throws {
        var store = try open()
        // The first transaction defines the type, too.
        try store.write {
            try Other(id: 1).save(to: &$0)
            let note = try $0.create(Note(text: "passing"))
            _ = try Note.delete(id: note.id, from: &$0)
            _ = try Deleted<Note>.query(note.id).resolve(in: $0)?.delete(from: &$0)
        }
        #expect(Deleted<Note>.query().isEmpty(in: store.context))
        try store.close()
        store = try open()
        #expect(try next(store) == 2)
        try store.write {
            try Other(id: 2).save(to: &$0)
            _ = try? [Note(text: "a"), Note(text: "b")].save(to: &$0)
            _ = try Note.delete(id: 3, from: &$0)
            _ = try Note.delete(id: 4, from: &$0)
            _ = try Deleted<Note>.query(3).resolve(in: $0)?.delete(from: &$0)
            _ = try Deleted<Note>.query(4).resolve(in: $0)?.delete(from: &$0)
        }
        try store.close()
        store = try open()
        #expect(try next(store) == 5)
    }

    @Test(
        "A number is logged although nothing else of its write stays, which is no step and ends no redo"
    )
    func numberAlone() throws {
        var store = try open()
        try next(store)
        try store.undo()
        #expect(throws: Refusal.self) {
            try store.write {
                _ = try $0.create(Note(text: "lost"))
                throw Refusal()
            }
        }
        try store.write { _ in }
        #expect(store.lastTransaction == 2)
        let id = try store.write { try Self.passing(&$0) }
        #expect(id == 3 && store.lastTransaction == 3)
        try store.redo()
        #expect(Note.query().resolve(in: store.context).map(\.id) == [1])
        try store.write {
            _ = try Note.delete(id: 1, from: &$0)
        }
        try store.undo()
        try store.close()
        store = try open()
        #expect(try next(store) == 4)
        #expect(try store.write { try Self.passing(&$0) } == 5)
        try store.compact()
        try store.close()
        store = try open()
        #expect(try next(store) == 6)
    }

    /// The id of a note that comes, and goes for good.
    private static func passing(_ context: inout Context) throws -> Int {
        let id = try context.create(Note(text: "passing")).id
        _ = try Note.delete(id: id, from: &context)
        _ = try Deleted<Note>.query(id).delete(from: &context)
        return id
    }

    @Test("A number that came and went in a draft, or in a draft of it, is logged by the commit")
    func numberOfDraft() throws {
        for depth in 0...2 {
            for hasChanges in [false, true] {
                let disk = SimulatedDisk()
                func open() throws -> Store {
                    try Store(
                        in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
                        durability: .commit, compactsAutomatically: false,
                        types: [Note.self, Other.self])
                }
                var store = try open()
                try next(store)
                var drafts = [store.draft("passing")]
                for _ in 0..<depth { drafts.append(drafts[drafts.count - 1].draft()) }
                let id = try drafts[depth].edit { context in
                    if hasChanges { try Other(id: 1).save(to: &context) }
                    return try Self.passing(&context)
                }
                #expect(id == 2)
                for draft in drafts.reversed() { try draft.commit() }
                #expect(store.lastTransaction == 2, "depth \(depth)")
                #expect(try drafts[0].commit() == nil)
                try store.close()
                store = try open()
                #expect(try next(store) == 3, "depth \(depth), with changes: \(hasChanges)")
            }
        }
    }

    @Test(
        "Drafts and the store beside them never give the same id, and a compaction behind a commit knows it"
    )
    func drafts() throws {
        var store = try open()
        try next(store)
        let first = store.draft("first")
        let second = store.draft("second")
        try first.edit { try Note(text: "a").save(to: &$0) }
        try second.edit { try Note(text: "b").save(to: &$0) }
        #expect(try next(store) == 4)
        try second.edit { try Note(text: "c").save(to: &$0) }
        try second.commit()
        try store.undo()
        try store.compact()
        try store.close()
        store = try open()
        #expect(Note.query().resolve(in: store.context).map(\.id) == [1, 4])
        #expect(try next(store) == 6)
        try first.revert()
    }

    @Test("A draft and a context of the past give ids behind the newest ones")
    func pastCounts() throws {
        let store = try open(retention: .standard)
        for _ in 0..<20 { try next(store) }
        let draft = try store.draft("late", asOf: .transaction(1))
        let late = try draft.edit { try $0.create(Note(text: "late")) }
        #expect(late.id == 21)
        var then = try store.context(asOf: .transaction(2), .forth)
        #expect(try then.create(Note(text: "then")).id == 22)
        then = try store.context(asOf: .transaction(19), .back)
        #expect(try then.create(Note(text: "then")).id == 23)
        #expect(try next(store) == 24)
        try draft.commit()
        #expect(Note.query().count(in: store.context) == 22)
    }

    @Test("A draft from before a suspension, in which another process wrote, counts with the store")
    func resumed() throws {
        let store = try open()
        #expect(try next(store) == 1)
        let draft = store.draft("before")
        try store.suspend()
        let other = try open()
        #expect(try next(other) == 2)
        try other.close()
        try store.resume()
        #expect(try draft.edit { try $0.create(Note(text: "draft")).id } == 3)
        #expect(try next(store) == 4)
        #expect(try draft.edit { try $0.create(Note(text: "draft")).id } == 5)
    }

    @Test("Drafts and the store have one counter for a type that was not named at opening")
    func lateType() throws {
        let store = try open(Other.self)
        let drafts = [store.draft("first"), store.draft("second")]
        var ids: [Int] = []
        for draft in drafts { ids.append(try draft.edit { try $0.create(Late()).id }) }
        #expect(throws: Refusal.self) {
            try store.write {
                ids.append(try $0.create(Late()).id)
                throw Refusal()
            }
        }
        ids.append(try store.write { try $0.create(Late()).id })
        #expect(ids == [1, 2, 3, 4])
        for draft in drafts { try draft.commit() }
        #expect(Set(Late.query().resolve(in: store.context).map(\.id)) == [1, 2, 4])
    }

    @Test(
        "A type whose ids were the app's goes on behind them, and an app that gives them itself again changes nothing"
    )
    func schema() throws {
        var store = try open(PlainNote.self)
        try store.write {
            try PlainNote(id: 7, text: "a", next: .id(20)).save(to: &$0)
            try PlainNote(id: 30, text: "b").save(to: &$0)
            _ = try PlainNote.delete(id: 30, from: &$0)
        }
        try store.close()
        store = try open(Note.self)
        #expect(try next(store) == 31)
        try store.close()
        store = try open(PlainNote.self)
        try store.write { try PlainNote(id: 40, text: "c").save(to: &$0) }
        try store.undo()
        try store.compact()
        try store.close()
        store = try open(Note.self)
        #expect(try next(store) == 41)
    }

    @Test("The greatest id from before is in the first checkpoint that counts")
    func countedLater() throws {
        var store = try open(PlainNote.self, Other.self, retention: .standard)
        try store.write {
            try PlainNote(id: 7, text: "a").save(to: &$0)
            try PlainNote(id: 30, text: "b").save(to: &$0)
        }
        try store.write { _ = try PlainNote.delete(id: 30, from: &$0) }
        try store.close()
        store = try open(Note.self, Other.self, retention: .standard)
        try store.write { try Other(id: 1).save(to: &$0) }
        try store.compact()
        try store.close()
        store = try open()
        #expect(try next(store) == 31)
    }

    @Test("An app that gives the ids itself keeps the count through compactions that forget")
    func countedByOthers() throws {
        var store = try open(Note.self, Other.self)
        for _ in 0..<3 { try next(store) }
        try store.close()
        store = try open(PlainNote.self, Other.self)
        try store.write { try PlainNote(id: 50, text: "own").save(to: &$0) }
        try store.undo()
        for _ in 0..<2 {
            try store.compact()
            try store.close()
            store = try open(PlainNote.self, Other.self)
        }
        #expect(PlainNote.query().count(in: store.context) == 3)
        try store.close()
        store = try open()
        #expect(try next(store) == 51)
    }

    @Test(
        "The past has the entities of its time, and a salvaged store gives no id that a transaction names which it kept"
    )
    func past() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Note.self)
        for _ in 0..<3 { try next(store) }
        try store.undo()
        let then = try store.context(asOf: .transaction(3))
        #expect(Note.query().resolve(in: then).map(\.id) == [1, 2, 3])
        try store.close()
        let copy = place.url.appendingPathExtension("salvaged")
        defer { try? FileManager.default.removeItem(at: copy) }
        _ = try Store.salvage(from: place.url, to: copy)
        let salvaged = try Store(at: copy, Note.self)
        #expect(try next(salvaged) == 4)
        try salvaged.close()
    }

    @Test("A process that is killed leaves a store that gives no id of a logged transaction again")
    func crash() throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            var disk = SimulatedDisk()
            var given: Set<Int> = []
            for round in 0..<4 {
                let store = try Store(
                    in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
                    durability: .commit, compactsAutomatically: false, types: [Note.self])
                for _ in 0..<3 {
                    let id = try next(store)
                    #expect(given.insert(id).inserted, "seed \(seed), round \(round)")
                    if id % 3 == 0 { try store.undo() }
                }
                if round == 1 { try store.compact() }
                disk = SimulatedDisk(disk.image)
            }
        }
    }
}
