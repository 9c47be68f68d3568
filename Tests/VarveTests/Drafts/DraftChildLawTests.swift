import Testing
import Varve
import VarveTestSupport

/// Children of a draft that stay open while their siblings and the parent go on. Between a child and its parent the
/// values decide, so all versions of the model are 0.
@Suite("Children of drafts against a model")
struct DraftChildLawTests {
    private typealias Model = DraftModel

    private struct Child {
        let draft: Draft
        /// What the child began with, took in or committed last.
        var base: Model.State
        var mine: Model.State
    }

    private struct Run {
        let store: Store
        let parent: Draft
        var random: SeededGenerator
        var state: Model.State = [:]
        var children: [Child] = []
        /// An id that comes again is another entity, which the model does not know.
        var deleted: Set<Int> = []
        var conflictCount = 0
        var place: Comment = ""

        init(seed: UInt64) throws {
            store = try Store.inMemory(Author.self, Shelf.self)
            try store.write { context in
                for id in ["a", "b", "c"] { try Author(id: id, name: id).save(to: &context) }
            }
            parent = store.draft("Parent")
            random = SeededGenerator(seed: seed)
        }

        mutating func number(_ bound: UInt64) -> Int { Int(random.next() % bound) }

        mutating func change(of state: Model.State) -> Model.Change {
            let author = ["", "a", "b", "c"][number(4)]
            let title = "t\(number(3))"
            let known = state.keys.sorted()
            let free = (1...30).filter { state[$0] == nil && !deleted.contains($0) }.prefix(3)
            if known.count < 3 || number(4) == 0, let id = free.randomElement(using: &random) {
                return .insert(id, title, author: author)
            }
            guard let id = known.randomElement(using: &random) else { return .title(0, title) }
            switch number(6) {
            case 0, 1, 2: return .title(id, title)
            case 3, 4: return .author(id, author)
            default:
                deleted.insert(id)
                return .delete(id)
            }
        }

        mutating func editParent() throws {
            let change = change(of: state)
            change.apply(to: &state, version: 0)
            try parent.edit { try change.apply(to: &$0) }
        }

        mutating func edit(_ index: Int) throws {
            let change = change(of: children[index].mine)
            change.apply(to: &children[index].mine, version: 0)
            try children[index].draft.edit { try change.apply(to: &$0) }
        }

        mutating func open() {
            children.append(Child(draft: parent.draft("Child"), base: state, mine: state))
        }

        /// Commits a child, behind a rebase with choices where it has conflicts.
        mutating func commit(_ index: Int) throws {
            let child = children[index]
            let parity = number(2)
            let merged = Model.merge(child.base, child.mine, state) { ($0 + parity) % 2 == 0 }
            let found = try child.draft.conflicts()
            // The order of a list is not in the model.
            let named = found.filter { if case .order = $0.kind { false } else { true } }
            #expect(Set(named.map(Model.text)) == merged.conflicts, place)
            conflictCount += named.count
            if !found.isEmpty {
                let before = Model.values(parent.context)
                #expect(throws: DraftError.conflicts(found), place) { try child.draft.commit() }
                #expect(Model.values(parent.context) == before, place)
                try child.draft.rebase { conflict in
                    ((Int(conflict.id) ?? 0) + parity) % 2 == 0 ? .keepMine : .takeTheirs
                }
                #expect(Model.values(child.draft.context) == merged.values, place)
                children[index].mine = Self.state(merged.values)
            }
            let version = store.lastTransaction
            try child.draft.commit()
            #expect(store.lastTransaction == version && !child.draft.hasChanges, place)
            children[index].base = children[index].mine
            state = Self.state(merged.values)
        }

        mutating func rebase(_ index: Int) throws {
            let child = children[index]
            let merged = Model.merge(child.base, child.mine, state) { _ in false }
            try child.draft.rebase(.takeTheirs)
            children[index].base = state
            children[index].mine = Self.state(merged.values)
        }

        /// Another one writes, and the parent takes that in.
        mutating func writeBeside() throws {
            let id = 100 + Int(store.lastTransaction.rawValue)
            let change = Model.Change.insert(id, "beside", author: "")
            try store.write { try change.apply(to: &$0) }
            try parent.rebase()
            change.apply(to: &state, version: 0)
        }

        func check() {
            #expect(Model.values(parent.context) == Self.values(state), place)
            for child in children {
                #expect(Model.values(child.draft.context) == Self.values(child.mine), place)
            }
        }

        static func values(_ state: Model.State) -> [Int: [String]] {
            state.mapValues { [$0.title.value, $0.author.value] }
        }

        static func state(_ values: [Int: [String]]) -> Model.State {
            values.mapValues {
                Model.Row(
                    title: .init(value: $0[0], version: 0), author: .init(value: $0[1], version: 0))
            }
        }
    }

    @Test(
        "Children that stay open while siblings commit, and meet their parent in conflicts, come to what a model says",
        arguments: 0..<16 as Range<UInt64>)
    func law(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for round in 0..<120 {
            run.place = "seed \(seed), round \(round)"
            if run.children.count < 3, run.number(4) == 0 || run.children.isEmpty { run.open() }
            let index = run.number(UInt64(run.children.count))
            switch run.number(12) {
            case 0, 1: try run.editParent()
            case 2, 3: try run.commit(index)
            case 4: try run.rebase(index)
            case 5:
                try run.commit(index)
                run.children.remove(at: index)
            case 6 where round % 4 == 0: try run.writeBeside()
            default: try run.edit(index)
            }
            run.check()
        }
        #expect(run.conflictCount > 0, "seed \(seed) has conflicts")
        try run.parent.commit()
        #expect(Model.values(run.store.context) == Run.values(run.state))
        run.store.context.checkInvariants()
    }
}
