import VarveLog

/// The states of disks that were examined, by fingerprint, and how many transactions each holds.
/// Shared by threads. The same state may be reached again at a moment when more was acknowledged:
/// then the number is compared once more.
package final class ImageMemo: Sendable {
    private let shards = (0..<64).map { _ in Lock([Fingerprint: Int32]()) }

    package init() {}

    package var count: Int { shards.reduce(0) { $0 + $1.withLock { $0.count } } }

    package func find(_ fingerprint: Fingerprint) -> Int? {
        shard(fingerprint).withLock { $0[fingerprint].map { Int($0) } }
    }

    package func note(_ fingerprint: Fingerprint, _ count: Int) {
        shard(fingerprint).withLock { $0[fingerprint] = Int32(count) }
    }

    private func shard(_ fingerprint: Fingerprint) -> Lock<[Fingerprint: Int32]> {
        shards[Int(fingerprint.high & 63)]
    }
}
