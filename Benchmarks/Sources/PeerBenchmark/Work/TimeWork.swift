import BenchmarkSupport
import Foundation
import Varve

/// Going back: undo, the versions of an entity, and the past.
struct TimeWork: Work {
    let child: Child

    private var url: URL { directory.appending(path: "time.varve") }

    func run() throws -> RunResult {
        var result = RunResult(.varve)
        var store = try open()
        let engine = VarveEngine(store)
        try Dataset.batches(work.size, posts: false) { try engine.load(users: $0, posts: $1) }
        try undo(store, &result)
        try history(store, &result)
        try store.close()
        store = try open()
        result.figures[.firstUndo] = try WallClock.seconds { try store.undo() } * 1e3
        try store.close()
        return result
    }

    private func open() throws -> Store {
        try Store(at: url, durability: .none, compactsAutomatically: false, StoredUser.self)
    }

    private func undo(_ store: Store, _ result: inout RunResult) throws {
        var commits: [Double] = []
        var undos: [Double] = []
        let start = ContinuousClock.now
        for turn in 0..<(work.undos / 10)
        where WallClock.seconds(since: start) < 2 * work.seconds {
            commits += try WallClock.latencies(10) { number in
                try change(store, turn * 10 + number, durability: .commit)
            }
            undos += try WallClock.latencies(10) { _ in
                try store.undo(UndoOptions(durability: .commit))
            }
        }
        result.figures[.undo] = undos.percentile(0.5) * 1e6
        result.figures[.undoRatio] = undos.percentile(0.5) / commits.percentile(0.5)
    }

    private func change(_ store: Store, _ number: Int, durability: Durability? = nil) throws {
        let id = Dataset.userID(number &* 7_919 % work.size)
        try store.write(options: WriteOptions(durability: durability)) { context in
            guard var user: StoredUser = context.find(id) else {
                throw EngineError(.varve, "a loaded user is not there")
            }
            // Never what a user begins with.
            user.score = Double(number) + 0.25
            try user.save(to: &context)
        }
    }

    /// As many transactions as users, of which a hundred change one of them.
    private func history(_ store: Store, _ result: inout RunResult) throws {
        let chosen = work.size / 2 + 1
        let distance = max(1, work.size / 100)
        for number in 0..<work.size {
            // The number of the chosen user among those that `change` takes comes by itself at most
            // once: 7,919 is prime.
            if number % distance == 0 {
                try store.write { context in
                    guard var user: StoredUser = context.find(Dataset.userID(chosen)) else {
                        return
                    }
                    user.score = Double(number) + 0.5
                    try user.save(to: &context)
                }
            } else {
                try change(store, number)
            }
        }
        var versions = 0
        let times = try WallClock.latencies(20) { _ in
            versions = try store.history(of: StoredUser.self, id: Dataset.userID(chosen)).count
        }
        guard versions > 100 else {
            throw EngineError(.varve, "an entity has \(versions) versions instead of 101")
        }
        result.figures[.history] = times.percentile(0.5) * 1e3
        let past = store.lastTransaction.rawValue - 10
        result.figures[.past] =
            try WallClock.latencies(200) { _ in
                _ = try store.context(asOf: .transaction(TransactionID(past)))
            }.percentile(0.5) * 1e6
    }
}
