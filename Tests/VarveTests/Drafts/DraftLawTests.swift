import Testing
import Varve
import VarveTestSupport

/// What a draft must come to: values with the number of the write that gave them.
private struct DraftModel {
    struct Cell: Equatable {
        var value: String
        var version: Int
    }

    struct Row: Equatable {
        var title: Cell
        /// Empty for none.
        var author: Cell
    }

    typealias State = [Int: Row]

    /// A change of one book: of its title or its author, or its insertion or deletion.
    enum Change {
        case title(Int, String)
        case author(Int, String)
        case insert(Int, String, author: String)
        case delete(Int)

        func apply(to context: inout Context) throws {
            switch self {
            case .title(let id, let title):
                guard var book: Book = context.find(id) else { return }
                book.title = title
                try book.save(to: &context)
            case .author(let id, let author):
                guard var book: Book = context.find(id) else { return }
                book.$author = author.isEmpty ? .null : .id(author)
                try book.save(to: &context)
            case .insert(let id, let title, let author):
                try Book(id: id, title: title, author: author.isEmpty ? .none : .id(author))
                    .save(to: &context)
            case .delete(let id): try Book.delete(id: id, from: &context)
            }
        }

        func apply(to state: inout State, version: Int) {
            switch self {
            case .title(let id, let title):
                guard let row = state[id], row.title.value != title else { return }
                state[id]?.title = Cell(value: title, version: version)
            case .author(let id, let author):
                guard let row = state[id], row.author.value != author else { return }
                state[id]?.author = Cell(value: author, version: version)
            case .insert(let id, let title, let author):
                state[id] = Row(
                    title: Cell(value: title, version: version),
                    author: Cell(value: author, version: version))
            case .delete(let id): state[id] = nil
            }
        }
    }

    /// What a merge comes to: conflicts as "id kind", and the titles and authors behind them.
    static func merge(
        _ base: State, _ mine: State, _ theirs: State, keepsMine: (Int) -> Bool
    ) -> (conflicts: Set<String>, values: [Int: [String]]) {
        var conflicts: Set<String> = []
        var values = theirs.mapValues { [$0.title.value, $0.author.value] }
        for id in Set(base.keys).union(mine.keys) {
            switch (base[id], mine[id], theirs[id]) {
            case (let was?, let has?, let have?):
                for (index, path) in [\Row.title, \Row.author].enumerated() {
                    let (old, own, other) = (
                        was[keyPath: path], has[keyPath: path], have[keyPath: path]
                    )
                    guard own.value != old.value, own.value != other.value else { continue }
                    let isConflict = other.value != old.value || other.version > old.version
                    if isConflict { conflicts.insert("\(id) \(index == 0 ? "title" : "author")") }
                    if !isConflict || keepsMine(id) { values[id]?[index] = own.value }
                }
            case (let was?, let has?, nil):
                guard was.title.value != has.title.value || was.author.value != has.author.value
                else { continue }
                conflicts.insert("\(id) lost")
                if keepsMine(id) { values[id] = [has.title.value, has.author.value] }
            case (let was?, nil, let have?):
                let isTitled =
                    have.title.value != was.title.value || have.title.version > was.title.version
                let isLed = have.author.value != was.author.value && !have.author.value.isEmpty
                if isTitled || isLed { conflicts.insert("\(id) deleted") }
                if !(isTitled || isLed) || keepsMine(id) { values[id] = nil }
            case (nil, let has?, let have?):
                if has.title.value != have.title.value {
                    conflicts.insert("\(id) twins")
                    if keepsMine(id) { values[id] = [has.title.value, has.author.value] }
                } else if !has.author.value.isEmpty, has.author.value != have.author.value {
                    let isLed = !have.author.value.isEmpty
                    if isLed { conflicts.insert("\(id) author") }
                    if !isLed || keepsMine(id) {
                        values[id]?[1] = has.author.value
                    }
                }
            case (nil, let has?, nil): values[id] = [has.title.value, has.author.value]
            case (_, nil, _): break
            }
        }
        return (conflicts, values)
    }

    static func text(_ conflict: DraftConflict) -> String {
        let kind =
            switch conflict.kind {
            case .property(let name), .relation(let name): name
            case .deletedByOthers: "lost"
            case .deletedInDraft: "deleted"
            case .insertedTwice: "twins"
            default: "\(conflict.kind)"
            }
        return "\(conflict.id) \(kind)"
    }

    static func values(_ context: Context) -> [Int: [String]] {
        var values: [Int: [String]] = [:]
        for book in Book.query().with(\.$author).resolve(in: context) {
            values[book.id] = [book.title, book.author?.id ?? ""]
        }
        return values
    }
}

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
