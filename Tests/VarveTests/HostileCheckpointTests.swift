import Foundation
import Testing
import Varve
import VarveEvents
import VarveLog
import VarveReplay
import VarveTables
import VarveTestSupport

@Suite("Checkpoints by an enemy")
struct HostileCheckpointTests {
    private struct Page {
        var key: CheckpointPageKey
        var bytes: [UInt8]
    }

    /// A store whose state is in one checkpoint, of pages as former versions wrote them, with nothing to fall back to:
    /// the log before it is there only from the checkpoint on.
    private func victim() throws -> (SimulatedDisk, CheckpointFile, [Page]) {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<25)
        try store.compact()
        try CompactionTests.fill(store, 25..<28)
        try store.compact()
        try store.close()
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        var pages: [Page] = []
        var encoder = CheckpointEncoder(try LoggedState(scanned).state.checkpointSource)
        while let part = try encoder.next() {
            let key = CheckpointPageKey(
                kind: part.kind.code, subject: part.type.rawValue, part: part.relation.rawValue,
                first: part.first, count: part.count)
            pages.append(Page(key: key, bytes: encoder.withPage { [UInt8]($0) }))
        }
        var header = try scanned.open(scanned.manifest.checkpoints[0]).header
        header.features = .none
        try disk.remove("checkpoint-0000000001")
        try Self.write(pages, header, digest: encoder.contentDigest, to: disk)
        let file = try ScannedLog.scan(disk, mode: .readOnly).open(header.reference)
        return (disk, file, pages)
    }

    private static func write(
        _ pages: [Page], _ header: CheckpointHeader, digest: UInt64, to disk: SimulatedDisk
    ) throws {
        let writer = try CheckpointWriter(header, in: disk)
        for page in pages {
            try page.bytes.withUnsafeBytes { try writer.append(page.key, $0) }
        }
        try writer.finish(contentDigest: digest)
        try writer.publish()
    }

    /// The disk with other pages in the checkpoint, all checksums right.
    private func forged(
        _ disk: SimulatedDisk, _ file: CheckpointFile, _ pages: [Page]
    ) throws -> SimulatedDisk {
        let copy = SimulatedDisk(disk.image)
        try Self.write(pages, file.header, digest: file.contentDigest, to: copy)
        return copy
    }

    /// Opens as a store and in parallel; only typed errors may come of it.
    private func open(_ disk: SimulatedDisk) -> Store? {
        do {
            return try CompactionTests.open(disk, mode: .readOnly)
        } catch let error as StoreError {
            #expect(!error.description.isEmpty)
            return nil
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test("What is not forged opens")
    func unchanged() throws {
        let (disk, file, pages) = try victim()
        #expect(pages.count > 5)
        let copy = try forged(disk, file, pages)
        #expect(open(copy)?.recovery.checkpoint == LogSequence(28))
        #expect(try LogVerification.verify(copy).problems.count == 1)
    }

    @Test(
        "Changed, cut, grown, repeated and exchanged content ends in a typed error or a value",
        arguments: TestSize.choose(1...3, nightly: 1...6 as ClosedRange<UInt64>))
    func mutations(seed: UInt64) throws {
        let (disk, file, pages) = try victim()
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<250 {
            var changed = pages
            for _ in 0..<Int.random(in: 1...2, using: &random) { mutate(&changed, &random) }
            if open(try forged(disk, file, changed)) == nil { refused += 1 }
        }
        #expect(refused > 100, "seed \(seed): \(refused) refused")
    }

    private func mutate(_ pages: inout [Page], _ random: inout SeededGenerator) {
        guard let index = pages.indices.randomElement(using: &random) else { return }
        let position = pages[index].bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
            if !pages[index].bytes.isEmpty {
                pages[index].bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case 3: pages[index].bytes = Array(pages[index].bytes.prefix(position))
        case 4:
            // Numbers at the ends of their range.
            let extreme: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
            pages[index].bytes.replaceSubrange(
                position..<min(position + 1, pages[index].bytes.count), with: extreme)
        case 5:
            pages[index].bytes.insert(
                contentsOf: random.bytes(Int.random(in: 1..<20, using: &random)), at: position)
        case 6: pages[index].key.count = UInt32(truncatingIfNeeded: random.next() >> 34)
        case 7: pages[index].key.first = UInt32(truncatingIfNeeded: random.next() >> 33)
        case 8: pages.append(pages[index])
        default:
            pages[index].key.kind = UInt8(truncatingIfNeeded: 1 + random.next() % 6)
            pages[index].key.subject = UInt32(truncatingIfNeeded: random.next() % 9)
        }
    }

    @Test("Counts without content take no memory")
    func counts() throws {
        let (disk, file, pages) = try victim()
        for (index, page) in pages.enumerated() {
            var changed = pages
            changed[index].key.count = .max
            if page.key.kind < 128, index > 0 {
                #expect(open(try forged(disk, file, changed)) == nil)
            }
        }
        // As many types and entities as fit into numbers.
        var changed = pages
        changed[1].bytes = Array(repeating: 0xFF, count: 200)
        #expect(open(try forged(disk, file, changed)) == nil)
    }

    @Test("The same id ten thousand times is no trap")
    func repeatedIDs() throws {
        let (disk, file, pages) = try victim()
        let rows = try #require(pages.firstIndex { $0.key.kind == 3 })
        let type = pages[rows].key.subject
        var page = ByteWriter()
        let count = 10_000
        for length in [0, 0, 0, count * 3] { page.writeCount(length) }
        for _ in 0..<count { page.append(0) }
        for _ in 0..<count {
            page.writeCount(2)
            page.append(1)
            page.append(UInt8(ascii: "x"))
        }
        var types = ByteWriter()
        types.writeVarint(28)
        types.writeSigned(0)
        var changed = pages.filter {
            ($0.key.kind != 3 || $0.key.subject != type) && $0.key.kind < 4
        }
        changed.append(Page(key: pages[rows].key, bytes: page.copyBytes()))
        changed[changed.count - 1].key.count = UInt32(count)
        for number in 1...pages[1].key.count {
            types.writeVarint(1 << 20)
            let own = changed.filter { $0.key.kind == 3 && $0.key.subject == number }
            types.writeCount(own.reduce(0) { $0 + Int($1.key.count) })
        }
        changed[1].bytes = types.copyBytes()
        // Opens or not; it must come back.
        _ = open(try forged(disk, file, changed))
    }

    @Test("Pages of a later version are passed over where they may be, and refused where not")
    func laterKinds() throws {
        let (disk, file, pages) = try victim()
        let later = CheckpointPageKey(kind: 200, subject: 9, part: 9, first: 9, count: 9)
        let copy = try forged(disk, file, pages + [Page(key: later, bytes: [1, 2, 3])])
        #expect(open(copy)?.recovery.checkpoint == LogSequence(28))
        var needed = later
        needed.kind = 100
        #expect(open(try forged(disk, file, pages + [Page(key: needed, bytes: [1])])) == nil)
    }
}
