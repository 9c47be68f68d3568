import Varve
import VarveTestSupport

/// What holds in every state that anybody sees, of whichever store.
struct StateCheck {
    private var random: SeededGenerator
    /// The progress that each checked state showed, for ``ThreadsRecord/checkPrefixes()``.
    private(set) var seen: [[Int]] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// - Parameter acknowledged: what must be there at least.
    mutating func check(_ context: Context, atLeast acknowledged: [Int] = []) throws(CheckFailure) {
        let accounts = Account.query().resolve(in: context)
        try Self.checkSums(accounts, context)
        if let account = accounts.randomElement(using: &random) { try check(account, context) }
        for drafts in Draft.query().resolve(in: context).pairs
        where drafts.0.text != drafts.1.text {
            throw CheckFailure(.i2, "half of an undo: \(drafts)")
        }
        let progress = Tally.query().resolve(in: context).map(\.count)
        for (writer, count) in acknowledged.enumerated() where progress[writer] < count {
            throw CheckFailure(.i1, "writer \(writer) is at \(count), a later look at \(progress)")
        }
        seen.append(progress)
    }

    /// What no transaction changes, of whichever kind: an undo that reverts half a step does.
    static func checkSums(_ context: Context) throws(CheckFailure) {
        try checkSums(Account.query().resolve(in: context), context)
    }

    private static func checkSums(
        _ accounts: [Account], _ context: Context
    ) throws(CheckFailure) {
        let sum = accounts.reduce(0) { $0 + $1.balance }
        guard sum == 0 else { throw CheckFailure(.i2, "the balances are \(sum) together") }
        let worth = PurseWriter.sum(context)
        // Before the set-up there is nothing.
        guard worth == PurseWriter.sum || accounts.isEmpty else {
            throw CheckFailure(
                .i2, "purses and coins are worth \(worth), not \(PurseWriter.sum)")
        }
    }

    /// The relation, the index and the balance agree.
    private func check(_ account: Account, _ context: Context) throws(CheckFailure) {
        let entries = Account.query(account.id).related(\.$entries).resolve(in: context)
        let sum = entries.reduce(0) { $0 + $1.amount }
        guard sum == account.balance else {
            throw CheckFailure(.i2, "the entries of \(account) are \(sum) together")
        }
        let found = Entry.filter(\.owner == account.id).sorted(by: \.amount).resolve(in: context)
        guard found.map(\.amount) == entries.map(\.amount).sorted() else {
            throw CheckFailure(.i2, "the index of entries says \(found), the links \(entries)")
        }
    }
}

extension [Draft] {
    /// Those that belong together.
    fileprivate var pairs: [(Draft, Draft)] {
        stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
    }
}
