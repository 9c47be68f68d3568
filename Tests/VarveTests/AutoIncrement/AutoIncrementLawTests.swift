import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Which numbers may be given: those that no logged transaction has named, and that nothing in the process has seen.
private struct NumberModel {
    private var logged: Set<Int> = []
    private var seen: Set<Int> = []

    /// Takes in a number that was given. Returns why it must not be.
    mutating func give(_ id: Int) -> String? {
        if logged.contains(id) { return "\(id) is in the log" }
        if let greatest = logged.max(), id <= greatest { return "\(id) is below \(greatest)" }
        return seen.insert(id).inserted ? nil : "\(id) was given before"
    }

    mutating func log(_ ids: some Sequence<Int>) { logged.formUnion(ids) }

    /// What the process knew beside the log is gone with it.
    mutating func reopen() { seen = [] }
}

@Suite("Ids that a store gives, against a model")
struct AutoIncrementLawTests {
    private typealias Note = NumberedNote
    private struct Refusal: Error {}

    private struct Run {
        let seed: UInt64
        var random: SeededGenerator
        var disk = SimulatedDisk()
        var store: Store
        var model = NumberModel()

        init(seed: UInt64) throws {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            store = try Run.open(disk)
        }

        static func open(_ disk: SimulatedDisk) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
                durability: .commit, retention: .transactions(5), compactsAutomatically: false,
                types: [Note.self])
        }

        mutating func expect(_ ids: [Int], _ what: String) {
            for id in ids {
                let fault = model.give(id)
                #expect(fault == nil, "seed \(seed), \(what): \(fault ?? "")")
            }
        }

        func notes() -> Set<Int> { Set(Note.query().resolve(in: store.context).map(\.id)) }

        mutating func step() throws {
            switch Int.random(in: 0..<17, using: &random) {
            case 0..<5: try create(fails: false)
            case 5, 6: try create(fails: true)
            case 7: try delete()
            case 8, 9: _ = try? store.undo()
            case 10:
                if Bool.random(using: &random) {
                    _ = try? store.redo()
                } else {
                    let last = store.lastTransaction.rawValue
                    _ = try? store.rewind(to: .transaction(TransactionID(last - min(last, 2))))
                }
            case 11: try passing()
            case 12, 13: try draft()
            case 14: try store.compact()
            case 15: try otherProcess()
            default: try reopen()
            }
        }

        private mutating func create(fails: Bool) throws {
            let count = Int.random(in: 1...3, using: &random)
            var ids: [Int] = []
            do {
                try store.write {
                    for _ in 0..<count { ids.append(try $0.create(Note(text: "\(seed)")).id) }
                    if fails { throw Refusal() }
                }
            } catch is Refusal {}
            expect(ids, fails ? "failed" : "written")
            if !fails { model.log(ids) }
        }

        private mutating func delete() throws {
            guard let id = notes().sorted().randomElement(using: &random) else { return }
            try store.write { _ = try Note.delete(id: id, from: &$0) }
        }

        /// A note that comes and goes for good within a transaction that does something else, too.
        private mutating func passing() throws {
            var ids: [Int] = []
            try store.write {
                ids.append(try $0.create(Note(text: "stays")).id)
                ids.append(try $0.create(Note(text: "passes")).id)
                _ = try Note.delete(id: ids[1], from: &$0)
                _ = try Deleted<Note>.query(ids[1]).delete(from: &$0)
            }
            expect(ids, "passing")
            model.log(ids)
        }

        private mutating func draft() throws {
            let draft = pastDraft() ?? store.draft("draft")
            var ids: [Int] = []
            try draft.edit { for _ in 0..<2 { ids.append(try $0.create(Note(text: "draft")).id) } }
            expect(ids, "draft")
            if Bool.random(using: &random) { try create(fails: false) }
            guard Bool.random(using: &random) else { return try draft.revert() }
            try draft.commit()
            model.log(ids)
        }

        /// A draft of a state that may be gone, or is the newest one.
        private mutating func pastDraft() -> Draft? {
            guard Bool.random(using: &random) else { return nil }
            let last = store.lastTransaction.rawValue
            return try? store.draft("past", asOf: .transaction(TransactionID(last - min(last, 3))))
        }

        /// What another process gives may have come to nothing here. From then on the store counts behind it.
        private mutating func otherProcess() throws {
            let draft = store.draft("before")
            try store.suspend()
            let other = try Run.open(disk)
            let count = Int.random(in: 1...3, using: &random)
            var ids: [Int] = []
            try other.write {
                for _ in 0..<count { ids.append(try $0.create(Note(text: "other")).id) }
            }
            try other.close()
            try store.resume()
            model.log(ids)
            expect([try draft.edit { try $0.create(Note(text: "draft")).id }], "draft from before")
        }

        private mutating func reopen() throws {
            if Bool.random(using: &random) {
                try store.close()
            } else {
                // Killed.
                disk = SimulatedDisk(disk.image)
            }
            store = try Run.open(disk)
            model.reopen()
        }
    }

    @Test(
        "No number comes twice, through failures, undos, drafts, other processes, compactions, and kills",
        arguments: 1...25 as ClosedRange<UInt64>)
    func law(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<60 { try run.step() }
        #expect(Note.query().count(in: run.store.context) == run.notes().count, "seed \(seed)")
    }
}
