import Testing
import VarveTestSupport

@testable import VarveTables

@Suite("Ids and their slots")
struct IDMapTests {
    /// Whose leading bits are alike, or all of them.
    private static let hashes: [UInt64] = [
        0, 1 << 63, 1 << 62, 3 << 62, 1 << 32, 2 << 32, 0xFFFF_FFFF << 32, 1 << 32 | 1,
    ]

    private static func slots(
        _ map: IDMap, _ keys: [UInt64], of hash: UInt64, _ pages: PageTable
    ) -> Slot? {
        map.find(hash, in: pages) { keys[$0.index] == hash }
    }

    @Test(
        "All orders in which eight hashes come",
        arguments: TestSize.choose([1, 8], nightly: [1, 2, 3, 8]), [1, 2])
    func exhaustive(nodeBits: Int, bucketCount: Int) {
        forEachSequence(length: 5, below: 8) { sequence in
            guard Set(sequence).count == sequence.count else { return }
            let keys = sequence.map { Self.hashes[$0] }
            var versions = Versions(IDMap(nodeBits: nodeBits, bucketCount: bucketCount))
            var held: [(PageSnapshot, IDMap)] = []
            for (index, key) in keys.enumerated() {
                versions.changeInVain { _ = $0.insert(key, Slot(99), in: $1) }
                versions.change { _ = $0.insert(key, Slot(UInt32(index)), in: $1) }
                if let newest = versions.newest { held.append((newest, versions.structure)) }
            }
            for (version, (snapshot, map)) in held.enumerated() {
                for hash in Self.hashes {
                    let expected = keys.firstIndex(of: hash).flatMap { $0 <= version ? $0 : nil }
                    let found = Self.slots(map, keys, of: hash, snapshot.pages)
                    if found?.index != expected { Issue.record("\(sequence), version \(version)") }
                }
            }
        }
    }

    @Test(
        "Random hashes, few to a transaction, take as many pages as at once",
        arguments: TestSize.choose(1...5, nightly: 1...10))
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var versions = Versions(IDMap(nodeBits: 1 + generator.below(6)))
        var atOnce = Versions(versions.structure)
        // Few distinct leading bits in some rounds: deep nodes.
        let mask: UInt64 = generator.chance(2) ? .max : 0xFFFF_FFFF
        var keys: [UInt64] = []
        while keys.count < 3_000 {
            versions.change { map, transaction in
                for _ in 0...generator.below(20) {
                    keys.append((generator.next() & mask) << UInt64(generator.below(20)))
                    map.insert(
                        keys[keys.count - 1], Slot(UInt32(keys.count - 1)), in: transaction)
                }
            }
        }
        atOnce.change { map, transaction in
            for (index, key) in keys.enumerated() {
                map.insert(key, Slot(UInt32(index)), in: transaction)
            }
        }
        let missing = keys.indices.filter { index in
            let found = versions.structure.find(keys[index], in: versions.pages) {
                $0.index == index
            }
            return found?.index != index
        }
        #expect(missing == [], "seed \(seed)")
        let absent = versions.structure.find(12_345, in: versions.pages) {
            keys[$0.index] == 12_345
        }
        #expect(absent == nil)
        #expect(versions.livePageCount() == atOnce.livePageCount(), "seed \(seed)")
    }
}
