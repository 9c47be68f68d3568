import VarveLog
import VarveTestSupport

@testable import Varve

/// What follows a store, and holds what it is shown against a fresh query.
protocol StoreFollowing {
    func follow(_ store: Store, _ place: String)
}

/// Random transactions, undos and redos: followed one by one, by a reader of the log that lags behind, and at the end
/// by those that were slow.
struct LiveRun {
    let seed: UInt64
    let steps: Int

    func follow<Follower: StoreFollowing>(by followers: (Store) -> [Follower]) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let store = try open(disk, seed, .readWrite)
        let (live, slow) = (followers(store), followers(store))
        let reader = try open(disk, seed + 100, .readOnly)
        let followed = followers(reader)
        for number in 0..<steps {
            try change(store, &random)
            let place = "seed \(seed) step \(number)"
            for follower in live { follower.follow(store, place) }
            guard number % 13 == 7 else { continue }
            try store.flush()
            try reader.refresh()
            for follower in followed { follower.follow(reader, place) }
        }
        for follower in slow { follower.follow(store, "slow, seed \(seed)") }
    }

    private func change(_ store: Store, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<7:
            try store.write { context in
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    try ReplayLawTests().change(&context, &random)
                }
            }
        case 7: if store.canRedo { try store.redo() }
        default: if store.canUndo { try store.undo() }
        }
    }

    private func open(_ disk: SimulatedDisk, _ seed: UInt64, _ mode: Store.Mode) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), mode: mode,
            durability: .commit, retention: .everything, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }
}
