import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Where the blocks of a chunk are is read when one of them is.
@Suite("Parts of a directory")
struct DirectoryPartTests {
    private static func smallState() throws -> State {
        var history = StateHistory(seed: 5)
        try history.advance(25)
        return history.state
    }

    private static func range(_ chunk: Int, of directory: BlockDirectory) -> Range<UInt64> {
        let place = directory.place(ofChunk: chunk)
        return place.offset..<place.offset + UInt64(place.byteCount)
    }

    /// An image whose root says something else of its chunks.
    private static func forged(
        _ bytes: [UInt8], _ root: ImageRoot, _ chunks: [ImageChunk]
    ) throws -> [UInt8] {
        let end = root.directory.endOffset
        var root = root
        root.directory = BlockDirectory(chunks, nextBlock: root.nextBlock, source: nil)
        return bytes[..<Int(end)] + (try root.encode(at: end)).copyBytes()
    }

    @Test(
        "An opening and a find read some of the parts, and a pass over all rows each of them once")
    func laziness() throws {
        let state = try UserLog.state(count: 120_000)
        let (bytes, image, _) = try state.image()
        let directory = image.root.directory
        let parts = directory.chunks.indices.map { Self.range($0, of: directory) }
        #expect(parts.count > 8)
        let source = MemorySource(bytes)
        let opened = try State.open(source).state
        let id = UserLog.id(777)
        let row = try opened.reading {
            id.withUnsafeBytes { id in
                opened.entry(of: UserLog.type, id: id).map { [UInt8]($0.row) }
            }
        }
        #expect(row == UserLog.row(777, age: 777 % 90))
        let readBehindFind = source.ranges.filter(parts.contains)
        #expect(!readBehindFind.isEmpty && readBehindFind.count < parts.count)
        #expect(try opened.reading { StateContent(opened) } == StateContent(state))
        let read = source.ranges.filter(parts.contains)
        #expect(Set(read) == Set(parts) && read.count == parts.count)
    }

    @Test("A damaged part is named, with what was expected and found, and rows elsewhere are read")
    func damage() throws {
        let count = 120_000
        let (bytes, image, _) = try UserLog.state(count: count).image()
        let directory = image.root.directory
        let numbers = stride(from: 0, to: count, by: 100)
        var partlyReadCount = 0
        for (position, chunk) in directory.chunks.enumerated() {
            var damaged = bytes
            damaged[Int(Self.range(position, of: directory).lowerBound) + 5] ^= 4
            guard let opened = try? State.open(MemorySource(damaged)).state else { continue }
            var readCount = 0
            for number in numbers {
                let id = UserLog.id(number)
                let row = try? opened.reading {
                    id.withUnsafeBytes { id in
                        opened.entry(of: UserLog.type, id: id).map { [UInt8]($0.row) }
                    }
                }
                guard let row else { continue }
                #expect(row == UserLog.row(number, age: number % 90))
                readCount += 1
            }
            if readCount == Array(numbers).count { continue }
            if readCount > 0 { partlyReadCount += 1 }
            let damage = try #require(opened.health?.damages.first)
            guard case .checksum(let place, let expected, let found) = damage else {
                Issue.record("\(damage)")
                continue
            }
            #expect(place == directory.place(ofChunk: position))
            #expect(expected == chunk.partChecksum && found != expected)
        }
        #expect(partlyReadCount > 0)
    }

    @Test("Any byte of a part may be another one, under right checksums: it is refused, or read")
    func forgedParts() throws {
        let (bytes, image, _) = try Self.smallState().image()
        let directory = image.root.directory
        var damagedCount = 0
        for (position, chunk) in directory.chunks.enumerated() {
            let range = Self.range(position, of: directory)
            for place in range {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var forged = bytes
                    forged[Int(place)] = value
                    var chunks = directory.chunks
                    chunks[position].partChecksum = forged[
                        Int(range.lowerBound)..<Int(range.upperBound)
                    ]
                    .withUnsafeBytes { BlockDirectory.checksum($0) }
                    forged = try Self.forged(forged, image.root, chunks)
                    let outcome = try ImageDamageTests.Outcome(MemorySource(forged))
                    if case .read = outcome { continue }
                    damagedCount += 1
                }
            }
            #expect(chunk.partBytes == range.count)
        }
        #expect(damagedCount > 100)
    }

    @Test(
        "A root that says something else of a chunk than its part does is refused, whatever it says"
    )
    func forgedTotals() throws {
        let (bytes, image, _) = try Self.smallState().image()
        let chunks = image.root.directory.chunks
        let fields: [WritableKeyPath<ImageChunk.Totals, Int>] = [
            \.blockCount, \.thoroughBlockCount, \.spanCount, \.pageCount, \.rowLeafCount,
        ]
        func isRead(_ chunks: [ImageChunk]) throws -> Bool {
            let forged = try Self.forged(bytes, image.root, chunks)
            if case .read = try ImageDamageTests.Outcome(MemorySource(forged)) { return true }
            return false
        }
        #expect(try isRead(chunks))
        for position in chunks.indices {
            for change in [-1, 1] {
                for field in fields {
                    var forged = chunks
                    forged[position].totals[keyPath: field] += change
                    guard forged[position].totals[keyPath: field] >= 0 else { continue }
                    #expect(try !isRead(forged), "\(field) of \(position)")
                }
                for field in [\.rawBytes, \.pageBytes] as [WritableKeyPath<ImageChunk.Totals, Int>]
                {
                    var forged = chunks
                    forged[position].totals[keyPath: field] += 64 * change
                    #expect(try !isRead(forged), "\(field) of \(position)")
                }
            }
        }
    }

    @Test("A page that was named of an unread chunk is compared when its part is read")
    func claims() throws {
        let (bytes, image, _) = try UserLog.state(count: 3_000).image()
        let leaves = PageKind(.rowLeaf)
        for entry in try image.root.directory.allBlocks().filter({ $0.run.kind == leaves }).suffix(
            3)
        {
            let leaf = entry.run.first
            let between = PageNumber(chunk: leaf.chunk, offset: leaf.offset + 64)
            for (number, kind, isSound) in [
                (leaf, leaves, true), (leaf, PageKind(.idBucket), false), (between, leaves, false),
            ] {
                let directory = try State.open(MemorySource(bytes)).image.root.directory
                let chunk = try #require(directory.chunkPosition(leaf.chunk))
                guard !directory.isRead(chunk) else { continue }
                let expectation = PageAnatomy.Expectation(kind: kind)
                // It is not known yet.
                #expect(directory.claim(number, expectation) == chunk)
                if isSound {
                    _ = try directory.blocks(ofChunk: chunk)
                    #expect(directory.claim(number, expectation) == chunk)
                } else {
                    #expect(throws: PageDamage.self) { try directory.blocks(ofChunk: chunk) }
                    #expect(!directory.isRead(chunk))
                    #expect(!directory.has(number, expectation))
                }
            }
        }
    }

    @Test("Two threads that read a part at once get one object")
    func threads() async throws {
        let (bytes, _, _) = try UserLog.state(count: 3_000).image()
        for _ in 0..<20 {
            let opened = try State.open(MemorySource(bytes))
            let directory = opened.image.root.directory
            let last = directory.chunks.count - 1
            let found = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<4 {
                    group.addTask { ObjectIdentifier(try directory.blocks(ofChunk: last)) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(found.count == 1)
        }
    }
}
