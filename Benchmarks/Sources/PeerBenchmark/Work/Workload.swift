import BenchmarkSupport
import Foundation

/// How much is done: all counts that depend on the size of the data set.
struct Workload {
    /// How many users, and as many posts.
    let size: Int

    private var isSmoke: Bool { size < 10_000 }

    var pointReads: Int { min(size, 200_000) }
    var queries: Int { min(size, 20_000) }
    /// Of a store that is larger than the memory.
    var largeReads: Int { min(size, 100_000) }
    var updates: Int { min(size, 50_000) }
    var deletes: Int { min(size, 10_000) }
    var commits: Int { isSmoke ? 2_000 : 20_000 }
    var syncedCommits: Int { isSmoke ? 200 : 2_000 }
    var commitsPerWriter: Int { isSmoke ? 12 : 1_000 }
    /// How long the disk may make a series of synced commits: a slow one shows in fewer of them.
    var seconds: Double { isSmoke ? 1 : 3 }
    var duelTurns: Int { isSmoke ? 4 : 40 }
    /// The users in both stores of a duel: more of them change nothing, and take long to load.
    var duelUsers: Int { min(size, 100_000) }
    var articles: Int { min(size, 100_000) }
    /// All that there are, but for a trial.
    var packages: Int { isSmoke ? 5_000 : .max }
    var undos: Int { isSmoke ? 100 : 1_000 }
    var quietCommits: Int { isSmoke ? 500 : 5_000 }

    /// How many bytes all records take in the compact form of the key-value engines.
    var rawBytes: Int {
        // The records of a data set differ by some digits; those of the last tenth are counted.
        let sample = max(0, size - max(1, size / 10))..<size
        let bytes = sample.reduce(0) { sum, number in
            sum + Dataset.user(number).encoded().count
                + Dataset.post(number, of: number + 1).encoded().count
        }
        return bytes * size / sample.count
    }
}
