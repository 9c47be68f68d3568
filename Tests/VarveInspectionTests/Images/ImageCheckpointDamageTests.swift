import Foundation
import Testing
import VarveEvents
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection
@testable import VarveLog

@Suite("Damaged and forged images in checkpoints")
struct ImageCheckpointDamageTests {
    /// Two images and some log behind them.
    private static func store() throws -> (disk: SimulatedDisk, newest: CheckpointFile, UInt64) {
        var store = try LoggedStore(seed: 11)
        try store.append(40)
        try store.compact()
        try store.append(10)
        try store.compact()
        try store.append(2)
        return (
            store.disk, try #require(try store.checkpoints().first),
            try store.state.contentDigest()
        )
    }

    /// The older checkpoint serves, and the newer one is reported.
    private func expectFallback(
        _ disk: SimulatedDisk, _ digest: UInt64, _ comment: Comment
    ) throws {
        let logged = try LoggedState(of: disk)
        #expect(logged.start.checkpoint?.number == 1, comment)
        #expect(logged.start.problems.map(\.file) == ["checkpoint-0000000002"], comment)
        #expect(try logged.contentDigest() == digest, comment)
        #expect(!(try LogVerification.verify(disk).problems.isEmpty), comment)
    }

    @Test(
        "A bit of any block, of the directory, or of the root, is found at opening, and the older checkpoint serves"
    )
    func flippedBits() throws {
        let (disk, file, digest) = try Self.store()
        let (blocks, parts) = try file.imageRanges()
        #expect(blocks.count > 10 && !parts.isEmpty)
        let root = try #require(file.pages.last { $0.key.kind == 8 })
        for place in (blocks + parts).map({ ($0.lowerBound + $0.upperBound) / 2 })
            + [Int(root.offset.rawValue) + 48 + Int(root.header.storedLength) / 2]
        {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt("checkpoint-0000000002") { $0[place] ^= 0x10 }
            try expectFallback(copy, digest, "at \(place)")
        }
    }

    @Test("Of an image that is not verified first, damage is met where it is read, and only there")
    func readInParts() throws {
        let (disk, file, digest) = try Self.store()
        var (metCount, passedCount) = (0, 0)
        for block in try file.imageRanges().blocks {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt("checkpoint-0000000002") { $0[block.lowerBound + 2] ^= 0x10 }
            let scanned = try ScannedLog.scan(copy, mode: .readOnly)
            let damaged = try scanned.open(scanned.manifest.checkpoints[0])
            // It is small.
            #expect(throws: LogError.self) {
                try damaged.load(verifyingImagesUpTo: CheckpointFile.smallImageBytes)
            }
            let state = try damaged.load(verifyingImagesUpTo: .zero).state
            do throws(StateReadError<CodecError>) {
                _ = try state.reading { () throws(CodecError) in try state.contentDigest() }
                // The map of ids is not read for it.
                passedCount += 1
            } catch .damaged {
                metCount += 1
            }
            let inspection = try Inspection(copy, verifyingImagesUpTo: .zero)
            let again = try inspection.reading { state throws(InspectionError) in
                do throws(CodecError) {
                    return try state.contentDigest()
                } catch {
                    throw .entity(type: "", reason: "\(error)")
                }
            }
            #expect(again == digest, "block at \(block)")
        }
        #expect(metCount > 0 && passedCount > 0)
    }

    @Test(
        "Where a page cannot be read, a look at the store and a compaction begin with the older checkpoint"
    )
    func unreadable() throws {
        let (disk, file, digest) = try Self.store()
        let pages = file.pages
        for page in [pages[0], pages[pages.count / 2], pages[pages.count - 1]] {
            let copy = SimulatedDisk(disk.image)
            let place = page.offset.rawValue + 48
            let files = HookedFileSystem(copy) { operation, name, bytes throws(FileSystemError) in
                guard operation == .read, name == "checkpoint-0000000002", bytes.contains(place)
                else { return }
                throw FileSystemError(.read, file: name, reason: .system(code: 5))
            }
            let inspection = try Inspection(files)
            #expect(try inspection.replay().contentDigest() == digest, "page at \(place)")
            #expect(inspection.start.checkpoint?.number == 1)
            _ = try StoreCompaction.compact(files)
            let compacted = try LoggedState(of: SimulatedDisk(copy.image))
            #expect(try compacted.contentDigest() == digest, "page at \(place)")
            #expect(compacted.start.checkpoint?.number == 3)
        }
    }

    @Test("A file that is cut is found at opening, and the older checkpoint serves")
    func cuts() throws {
        let (disk, file, digest) = try Self.store()
        let length = Int(file.length.rawValue)
        let places = file.pages.map { Int($0.offset.rawValue) } + [0, 1, 127, length - 1]
        for place in places {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt("checkpoint-0000000002") { $0.removeLast(length - place) }
            try expectFallback(copy, digest, "cut at \(place)")
        }
    }

    @Test("Pages that changed places, and those of the older checkpoint, are found at opening")
    func swappedPages() throws {
        let (disk, file, digest) = try Self.store()
        let bytes = try #require(disk.image.files["checkpoint-0000000002"])
        let older = try #require(disk.image.files["checkpoint-0000000001"])
        func range(_ page: CheckpointPage) -> Range<Int> {
            let start = Int(page.offset.rawValue)
            return start..<start + Int(page.header.pageLength)
        }
        for (page, next) in zip(file.pages, file.pages.dropFirst()) {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt("checkpoint-0000000002") {
                $0.replaceSubrange(
                    range(page).lowerBound..<range(next).upperBound,
                    with: bytes[range(next)] + bytes[range(page)])
            }
            try expectFallback(copy, digest, "page \(page.header.position)")
        }
        let copy = SimulatedDisk(disk.image)
        copy.corrupt("checkpoint-0000000002") {
            $0.replaceSubrange(range(file.pages[0]), with: older[range(file.pages[0])])
        }
        try expectFallback(copy, digest, "a page of the older one")
    }

    // MARK: Forged

    private typealias Page = (key: CheckpointPageKey, bytes: [UInt8])

    /// A store with one checkpoint, and no log before it.
    private static func victim() throws -> (SimulatedDisk, CheckpointFile, [Page]) {
        var store = try LoggedStore(seed: 12)
        try store.append(40)
        try store.compact(.newestState, for: .size)
        try store.append(2)
        try store.compact(.newestState, for: .size)
        // Such a compaction leaves nothing to fall back to. The image takes the place of its pages of entities.
        let pages = try #require(try store.checkpoints().first)
        let writer = try CheckpointWriter(pages.header, in: store.disk)
        try writer.finish(
            contentDigest: writer.append(try LoggedState(of: store.disk).state, .quick))
        try writer.publish()
        let file = try #require(try store.checkpoints().first)
        return (store.disk, file, try file.pageContents())
    }

    /// The disk with other pages in the checkpoint, all checksums of the file right.
    private static func forged(
        _ disk: SimulatedDisk, _ file: CheckpointFile, _ pages: [Page]
    ) throws -> SimulatedDisk {
        let copy = SimulatedDisk(disk.image)
        let writer = try CheckpointWriter(file.header, in: copy)
        for page in pages {
            try page.bytes.withUnsafeBytes {
                try writer.append(page.key, $0, compressing: page.key.kind != 7)
            }
        }
        try writer.finish(contentDigest: file.contentDigest)
        try writer.publish()
        return copy
    }

    /// Reads all that can be; only typed errors may come of it. Returns whether all of it could be read.
    private func isReadable(_ disk: SimulatedDisk) -> Bool {
        do throws(InspectionError) {
            let inspection = try Inspection(disk)
            for type in try inspection.summary().types {
                let list = try inspection.entities(of: type.type.name)
                for position in 0..<list.count { _ = try list.entity(at: position) }
            }
            try StoreExport(inspection, includingDeleted: true).writeJSONLines { _ in true }
            let problems = try StoreVerification.verify(disk).problems
            #expect(problems.allSatisfy { !$0.description.isEmpty })
            return problems.isEmpty
        } catch .log(.checkpointDamaged(let name, _, let reason)) {
            #expect(name == "checkpoint-0000000002" && !reason.isEmpty)
        } catch .log(.noUsableCheckpoint(let problems)) {
            #expect(problems.allSatisfy { !$0.reason.isEmpty })
        } catch {
            Issue.record("\(error)")
        }
        return false
    }

    @Test("What is not forged is read")
    func unchanged() throws {
        let (disk, file, pages) = try Self.victim()
        #expect(isReadable(try Self.forged(disk, file, pages)))
    }

    @Test(
        "A block that lies is found when it is read, by every reader", arguments: [0.0, 0.5, 0.99])
    func lateDamage(place: Double) throws {
        let (disk, file, pages) = try Self.victim()
        let digest = try LoggedState(of: disk).contentDigest()
        let (blocks, parts) = try file.imageRanges()
        for block in blocks + parts {
            var changed = pages
            let position = block.lowerBound + Int(Double(block.count) * place)
            let index = try #require(file.pages.lastIndex { Int($0.offset.rawValue) < position })
            changed[index].bytes[position - Int(file.pages[index].offset.rawValue) - 48] ^= 0x20
            let copy = try Self.forged(disk, file, changed)
            #expect(!isReadable(copy), "block at \(block)")
            let target = SimulatedDisk()
            #expect(throws: (any Error).self) {
                try StoreSalvage.salvage(
                    from: copy, to: target, environment: SimulatedEnvironment(seed: 5))
            }
            // A compaction for size reads rows and links alone, and makes the rest anew.
            do throws(InspectionError) {
                _ = try StoreCompaction.compact(
                    copy, environment: SimulatedEnvironment(seed: 6), for: .size)
            } catch {
                continue
            }
            #expect(try LoggedState(of: copy).contentDigest() == digest, "block at \(block)")
            #expect(isReadable(copy), "block at \(block)")
        }
    }

    @Test(
        "Changed, cut, grown, repeated and exchanged pages end in a typed error or a value",
        arguments: 1...4)
    func mutations(seed: Int) throws {
        let (disk, file, pages) = try Self.victim()
        var random = SeededGenerator(seed: UInt64(seed))
        var refusedCount = 0
        for _ in 0..<100 {
            var changed = pages
            for _ in 0...random.below(2) { Self.mutate(&changed, &random) }
            if !isReadable(try Self.forged(disk, file, changed)) { refusedCount += 1 }
        }
        #expect(refusedCount > 80, "seed \(seed)")
    }

    private static func mutate(_ pages: inout [Page], _ random: inout SeededGenerator) {
        let index = random.below(pages.count)
        let position = random.below(max(pages[index].bytes.count, 1))
        switch random.below(9) {
        case 0, 1, 2:
            if !pages[index].bytes.isEmpty {
                pages[index].bytes[position] ^= 1 << UInt8(random.below(8))
            }
        case 3: pages[index].bytes = Array(pages[index].bytes.prefix(position))
        case 4:
            pages[index].bytes.insert(contentsOf: random.bytes(1 + random.below(20)), at: position)
        case 5: pages[index].key.first = UInt32(truncatingIfNeeded: random.next())
        case 6: pages.append(pages[index])
        case 7: pages.swapAt(index, random.below(pages.count))
        default: pages[index].key.kind = UInt8(1 + random.below(9))
        }
        if pages.count > 1, random.chance(20) { pages.remove(at: random.below(pages.count)) }
    }
}
