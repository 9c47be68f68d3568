import Testing
import Varve
import VarveTestSupport

@Suite("Drafts against a model")
struct DraftLawTests {
    private typealias Model = DraftModel

    private struct Run {
        let store: Store
        var random: SeededGenerator
        var theirs: Model.State = [:]
        /// The states before the steps that can be undone.
        var past: [Model.State] = []
        var version = 0
        /// Ids that were there once are not inserted again.
        var inserted: Set<Int> = []

        mutating func number(_ bound: UInt64) -> Int { Int(random.next() % bound) }

        mutating func change(of state: Model.State, from first: Int) -> Model.Change {
            let author = ["", "a", "b", "c"][number(4)]
            let title = "t\(number(3))"
            let known = state.keys.sorted()
            if known.isEmpty || number(4) == 0 {
                // Both sides take ids of the same few.
                let free = (first..<first + 4).first { state[$0] == nil && !inserted.contains($0) }
                if let free { return .insert(free, title, author: author) }
            }
            guard !known.isEmpty else { return .title(0, title) }
            let id = known[number(UInt64(known.count))]
            switch number(5) {
            case 0, 1: return .title(id, title)
            case 2, 3: return .author(id, author)
            default: return .delete(id)
            }
        }

        mutating func write(from first: Int) throws {
            if number(4) == 0, past.count > 1, let former = past.popLast() {
                try store.undo()
                theirs = former
                return
            }
            let change = change(of: theirs, from: first)
            // An id that comes again is another entity: the model knows one.
            if case .delete(let id) = change { inserted.insert(id) }
            version += 1
            var next = theirs
            change.apply(to: &next, version: version)
            try store.write { try change.apply(to: &$0) }
            if Self.values(next) != Self.values(theirs) { past.append(theirs) }
            theirs = next
        }

        static func values(_ state: Model.State) -> [Int: [String]] {
            state.mapValues { [$0.title.value, $0.author.value] }
        }

        mutating func edit(_ draft: Draft, _ mine: inout Model.State, from first: Int) throws {
            let isInChild = number(3) == 0
            let draft = isInChild ? (draft.draft("Child"), draft) : (draft, draft)
            for _ in 0...number(3) {
                let change = change(of: mine, from: first)
                version += 1
                change.apply(to: &mine, version: version)
                try draft.0.edit { try change.apply(to: &$0) }
            }
            if isInChild { try draft.0.commit() }
            #expect(Model.values(draft.1.context) == Self.values(mine))
        }
    }

    @Test(
        "Drafts, children, rebases, choices, commits and undos come to what a model says",
        arguments: 0..<12 as Range<UInt64>)
    func law(seed: UInt64) throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { context in
            for id in ["a", "b", "c"] { try Author(id: id, name: id).save(to: &context) }
        }
        var run = Run(store: store, random: SeededGenerator(seed: seed))
        run.past = [[:]]
        for round in 0..<20 {
            let place: Comment = "seed \(seed), round \(round)"
            let first = round * 4
            let draft = store.draft("Round \(round)")
            let base = run.theirs
            var mine = base
            for _ in 0..<run.number(5) { try run.write(from: first) }
            try run.edit(draft, &mine, from: first)
            for _ in 0..<run.number(3) { try run.write(from: first) }
            let parity = run.number(2)
            let expected = Model.merge(base, mine, run.theirs) { ($0 + parity) % 2 == 0 }
            let found = try draft.conflicts()
            // A book that left a list and came back is behind the others: the order is not in the model.
            let named = found.filter { if case .order = $0.kind { false } else { true } }
            #expect(Set(named.map(Model.text)) == expected.conflicts, place)
            #expect(named.count == expected.conflicts.count, place)
            if !found.isEmpty {
                let newest = store.lastTransaction
                #expect(throws: DraftError.conflicts(found), place) { try draft.commit() }
                #expect(store.lastTransaction == newest, place)
            }
            try draft.rebase { conflict in
                ((Int(conflict.id) ?? 0) + parity) % 2 == 0 ? .keepMine : .takeTheirs
            }
            #expect(Model.values(draft.context) == expected.values, place)
            let isChanged = expected.values != Run.values(run.theirs)
            let hasChanges = draft.hasChanges
            #expect(hasChanges || !isChanged, place)
            let commits = try draft.commit() != nil
            #expect(commits == hasChanges, place)
            #expect(Model.values(store.context) == expected.values, place)
            if commits {
                try store.undo()
                #expect(Model.values(store.context) == Run.values(run.theirs), place)
            }
            run.inserted.formUnion(first..<first + 4)
        }
        try store.compact(retaining: Retention.newestState)
        #expect(Model.values(store.context) == Run.values(run.theirs))
    }
}
