import Varve
import VarveTestSupport

/// One of several that write into a store at once: it moves money between accounts, undoes and redoes
/// what it wrote into its own two drafts, and what it and others did with purses.
struct MoneyWriter {
    enum Action: Sendable {
        case move(@Sendable (inout Context) throws -> Void)
        case draft(String, @Sendable (inout Context) throws -> Void)
        case undo, redo
        case purse(@Sendable (inout Context) throws -> Void)
        case undoPurse, redoPurse
    }

    static let accounts = 8

    let number: Int
    private let record: ThreadsRecord
    private var random: SeededGenerator
    private var purses: PurseWriter
    private var step = 0
    /// What its drafts say, and what undo and redo lead to.
    private var text = ""
    private var undoable: [String] = []
    private var redoable: [String] = []
    private(set) var counts = ThreadsCounts()

    init(_ number: Int, seed: UInt64, _ record: ThreadsRecord) {
        self.number = number
        self.record = record
        random = SeededGenerator(seed: seed)
        purses = PurseWriter(number, seed: seed &+ 1_000)
    }

    /// The stack of undo of its own.
    var scope: String { "writer \(number)" }

    func options(_ action: Action) -> WriteOptions {
        switch action {
        case .draft: WriteOptions(scope: scope)
        case .purse: WriteOptions(scope: purses.scope)
        case .move, .undo, .redo, .undoPurse, .redoPurse: WriteOptions(undoable: false)
        }
    }

    /// The rows that all states have.
    static func setUp(_ context: inout Context, writers: Int) throws {
        for id in 0..<accounts { try Account(id: id, balance: 0).save(to: &context) }
        try PurseWriter.setUp(&context)
        for writer in 0..<writers {
            try Tally(id: writer, count: 0).save(to: &context)
            for id in Draft.ids(of: writer) { try Draft(id: id, text: "").save(to: &context) }
        }
    }

    mutating func next() -> Action {
        step += 1
        switch Int.random(in: 0..<18, using: &random) {
        case 12, 13: return .purse(purses.step())
        case 14, 15, 16: return .undoPurse
        case 17: return .redoPurse
        case 0, 1: return .undo
        case 2: return .redo
        case 3...5:
            let new = "\(scope), \(step)"
            let ids = Draft.ids(of: number)
            return .draft(new) { context in
                for id in ids { try Draft(id: id, text: new).save(to: &context) }
            }
        case 6:
            let account = Int.random(in: 0..<Self.accounts, using: &random)
            return .move { [self] context in
                try fold(account, &context)
                try count(&context)
            }
        default:
            let accounts = Array(0..<Self.accounts).shuffled(using: &random)
            let amount = Int.random(in: 1...1_000, using: &random)
            return .move { [self] context in
                try Self.move(amount, from: accounts[0], to: accounts[1], &context)
                try count(&context)
            }
        }
    }

    static func move(
        _ amount: Int, from: Int, to: Int, _ context: inout Context
    ) throws {
        for (account, amount) in [(from, -amount), (to, amount)] {
            guard var changed = Account.query(account).resolve(in: context) else { continue }
            changed.balance += amount
            try changed.save(to: &context)
            try Entry(owner: account, amount: amount, account: .id(account))
                .save(to: &context)
        }
    }

    /// So many pairs of entries that come to nothing together.
    static func insertPairs(_ count: Int, batch: Int, into context: inout Context) throws {
        for pair in 0..<count {
            let account = (batch + pair) % accounts
            for sign in [1, -1] {
                try Entry(
                    owner: account, amount: sign * (pair + 1), account: .id(account)
                ).save(to: &context)
            }
        }
    }

    /// One entry instead of all of an account.
    private func fold(_ account: Int, _ context: inout Context) throws {
        let old = Account.query(account).related(\.$entries).resolve(in: context)
        for entry in old { try Entry.delete(id: entry.id, from: &context) }
        try Entry(
            owner: account, amount: old.reduce(0) { $0 + $1.amount },
            account: .id(account)
        ).save(to: &context)
    }

    private func count(_ context: inout Context) throws {
        guard var progress = Tally.query(number).resolve(in: context) else {
            throw CheckFailure(.i1, "the progress of writer \(number) is gone")
        }
        progress.count += 1
        try progress.save(to: &context)
        try record.willLeave(Tally.query().resolve(in: context).map(\.count))
    }

    /// Takes note of what became of an action, and looks whether the store shows it.
    ///
    /// - Parameter isDone: false where there was nothing to undo or redo, which retention explains.
    mutating func did(_ action: Action, _ isDone: Bool, in store: Store) throws(CheckFailure) {
        counts.writes += isDone ? 1 : 0
        switch action {
        case .purse: break
        case .undoPurse, .redoPurse: if isDone { counts.overlappingUndos += 1 }
        case .move: record.acknowledge(number)
        case .draft(let new, _):
            undoable.append(text)
            redoable = []
            text = new
        case .undo: try turn(\.undoable, \.redoable, isDone)
        case .redo: try turn(\.redoable, \.undoable, isDone)
        }
        let shown = Draft.query(Draft.ids(of: number)).resolve(in: store.context).map(\.text)
        guard shown == [text, text] else {
            throw CheckFailure(.i1, "\(scope) wrote '\(text)', and reads \(shown)")
        }
    }

    private mutating func turn(
        _ from: WritableKeyPath<Self, [String]>, _ to: WritableKeyPath<Self, [String]>,
        _ isDone: Bool
    ) throws(CheckFailure) {
        guard isDone else {
            // Steps below the floor are gone, the oldest first.
            self[keyPath: from] = []
            return
        }
        guard let earlier = self[keyPath: from].popLast() else {
            throw CheckFailure(.i9, "\(scope): more was undone than was done")
        }
        self[keyPath: to].append(text)
        text = earlier
        counts.undos += 1
    }
}

extension MoneyWriter.Action {
    /// Whether others may have written what it reverts.
    fileprivate var isOfPurses: Bool {
        switch self {
        case .undoPurse, .redoPurse: true
        case .move, .draft, .undo, .redo, .purse: false
        }
    }
}

extension MoneyWriter {
    mutating func run(_ steps: Int, in store: Store) throws {
        for _ in 0..<steps {
            let action = next()
            let options = options(action)
            var isDone = true
            do {
                switch action {
                case .move(let body), .draft(_, let body), .purse(let body):
                    try store.write("Step \(step)", options: options, body)
                case .undo: try store.undo(scope: scope)
                case .redo: try store.redo(scope: scope)
                case .undoPurse: try store.undo(scope: purses.scope)
                case .redoPurse: try store.redo(scope: purses.scope)
                }
            } catch StoreError.conflicts where action.isOfPurses {
                counts.conflicts += 1
                isDone = false
            } catch StoreError.nothingToUndo, StoreError.nothingToRedo, StoreError.belowFloor {
                isDone = false
            }
            try did(action, isDone, in: store)
        }
        record.add(counts)
    }

    /// Runs steps by the forms that block no thread.
    mutating func run(_ steps: Int, in store: Store) async throws {
        for _ in 0..<steps {
            let action = next()
            let options = options(action)
            var isDone = true
            do {
                switch action {
                case .move(let body), .draft(_, let body), .purse(let body):
                    try await store.write("Step \(step)", options: options, body)
                case .undo: try await store.undo(UndoOptions(scope: scope))
                case .redo: try await store.redo(UndoOptions(scope: scope))
                case .undoPurse: try await store.undo(UndoOptions(scope: purses.scope))
                case .redoPurse: try await store.redo(UndoOptions(scope: purses.scope))
                }
            } catch StoreError.conflicts where action.isOfPurses {
                counts.conflicts += 1
                isDone = false
            } catch StoreError.nothingToUndo, StoreError.nothingToRedo, StoreError.belowFloor {
                isDone = false
            }
            try did(action, isDone, in: store)
        }
        record.add(counts)
    }
}
