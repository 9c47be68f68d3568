import Testing
import VarveCompression
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Images whose checksums are right and whose content is not: whatever they say, reading and changing them ends, with
/// a typed error or with a content that is bounded by the image.
@Suite("Forged images")
struct ImageForgeryTests {
    private static func state(seed: Int) throws -> State {
        if seed % 5 == 0 { return try UserLog.state(count: 600) }
        var history = StateHistory(seed: seed)
        try history.advance(50)
        return history.state
    }

    /// Reads and changes all that can be.
    private func use(_ bytes: [UInt8], _ logged: [UInt8]) {
        guard let state = try? State.open(MemorySource(bytes)).state else { return }
        _ = try? state.reading { StateContent(state) }
        _ = try? state.reading { try state.digest() }
        let transaction = StateTransaction(state)
        _ = try? logged.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        for table in state.tables {
            let type = table.definition.number
            for declared in table.indexes {
                transaction.dropIndex(of: type, declared.declaration)
            }
            if let field = table.definition.fields.first {
                _ = try? transaction.declareIndex(
                    of: type, IndexDeclaration([.init(field.number)]))
            }
        }
        transaction.releaseStaleIndexes()
        let changed = transaction.publish()
        _ = try? changed.reading { StateContent(changed) }
        _ = try? changed.image()
    }

    @Test("Bytes of blocks changed at random, under right checksums", arguments: 1...150)
    func blocks(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let state = try Self.state(seed: seed)
        let logged = try Self.transaction(seed)
        let image = try ForgedImage(state.image())
        for _ in 0..<12 {
            var forged = image
            for _ in 0...generator.below(4) { forged.change(&generator) }
            use(try forged.bytes(), logged)
        }
    }

    @Test("Page numbers exchanged for others of the image", arguments: 1...60)
    func references(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) << 20)
        let image = try ForgedImage(try Self.state(seed: seed).image())
        let logged = try Self.transaction(seed)
        for _ in 0..<12 {
            var forged = image
            for _ in 0...generator.below(3) { forged.exchangeReferences(&generator) }
            use(try forged.bytes(), logged)
        }
    }

    @Test("Bytes of the root changed at random, under a right checksum", arguments: 1...100)
    func roots(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) << 40)
        let (bytes, image, _) = try Self.state(seed: seed).image()
        let logged = try Self.transaction(seed)
        let end = Int(image.root.directory.storedBytes)
        for _ in 0..<30 {
            var forged = bytes
            for _ in 0...generator.below(3) {
                let position = end + generator.below(bytes.count - end - ImageRoot.locatorBytes)
                forged[position] = UInt8(truncatingIfNeeded: generator.next())
            }
            ForgedImage.mendRoot(&forged, at: end)
            use(forged, logged)
        }
    }

    @Test("A page that two pages name is damage, and so is one of another kind")
    func secondParent() throws {
        let state = try UserLog.state(count: 600)
        let image = try ForgedImage(state.image())
        let leaf = PageKind(.rowLeaf)
        let node = PageKind(.rowNode, level: 1)
        let (block, frame) = try #require(image.firstFrame(of: node))
        for target in [leaf, PageKind(.idBucket), node] {
            var forged = image
            let (other, _) = try #require(forged.firstFrame(of: target))
            let number = forged.blocks[other].entry.run.number(0)
            forged.store(number.rawValue, block, frame, at: Page.headerBytes + 4 * 5)
            let opened = try State.open(MemorySource(try forged.bytes())).state
            #expect(throws: StateReadError<Never>.self) {
                try opened.reading { StateContent(opened) }
            }
        }
    }

    @Test("A key under which ids collide is replaced as soon as they do")
    func chosenKey() throws {
        let (bytes, image, _) = try UserLog.state(count: 0).image()
        var root = image.root
        // Multiplies by zero for all ids of eight bytes.
        let key = KeyedHash.Key(first: 1, second: 3, third: 8)
        root.state.tables[0].parts.ids = IDMap(root: .none, key: key)
        let end = root.directory.storedBytes
        let forged = [UInt8](bytes[..<Int(end)]) + (try root.encode(at: end)).copyBytes()
        let opened = try State.open(MemorySource(forged)).state
        #expect(opened.tables[0].ids.key == key)
        let state = try UserLog.add(10..<100, to: opened)
        #expect(state.tables[0].ids.key != key)
        for number in 10..<100 {
            let isFound = UserLog.id(number).withUnsafeBytes {
                state.entry(of: UserLog.type, id: $0) != nil
            }
            #expect(UserLog.id(number).count == 8 && isFound)
        }
    }

    private static func transaction(_ seed: Int) throws -> [UInt8] {
        var history = StateHistory(seed: seed)
        try history.advance(50)
        return try history.next()
    }
}

/// The parts of an image, to be changed and put together again.
struct ForgedImage {
    struct Block {
        var entry: BlockEntry
        var raw: [UInt8]
    }

    var blocks: [Block] = []
    private var root: ImageRoot

    init(_ image: (bytes: [UInt8], image: StoredImage, figures: ImageFigures)) throws {
        root = image.image.root
        let source = MemorySource(image.bytes)
        for entry in root.directory.blocks {
            let stored = try entry.read(from: source)
            defer { stored.deallocate() }
            var raw = [UInt8](repeating: 0, count: entry.rawCount)
            try raw.withUnsafeMutableBytes {
                try entry.expand(UnsafeRawBufferPointer(stored), into: $0)
            }
            blocks.append(Block(entry: entry, raw: raw))
        }
    }

    mutating func change(_ generator: inout SeededGenerator) {
        let block = generator.below(blocks.count)
        let size = blocks[block].entry.run.frameBytes
        let frame = generator.below(blocks[block].entry.storedFrames)
        // Mostly headers and directories, where structures begin.
        let offset = generator.chance(3) ? generator.below(size) : generator.below(min(size, 96))
        let position = frame * size + offset
        switch generator.below(4) {
        case 0: blocks[block].raw[position] ^= UInt8(1 << generator.below(8))
        case 1: blocks[block].raw[position] = UInt8(truncatingIfNeeded: generator.next())
        case 2: blocks[block].raw[position] = 0xFF
        default: blocks[block].raw[position] = UInt8(generator.below(4))
        }
    }

    /// Writes the number of some frame of the image where another one is named.
    mutating func exchangeReferences(_ generator: inout SeededGenerator) {
        let nodes = blocks.indices.filter { index in
            switch blocks[index].entry.run.kind.structure {
            case .rowNode, .linkNode, .idNode, .listPage, .linkLeaf: true
            default: false
            }
        }
        guard let block = nodes.randomElement(using: &generator),
            let target = blocks.randomElement(using: &generator)
        else { return }
        let run = target.entry.run
        let number = run.number(generator.below(run.frameCount)).rawValue
        let marked = generator.chance(2) ? number : number | 1 << 31
        let size = blocks[block].entry.run.frameBytes
        let words = (size - Page.headerBytes) / 4
        store(
            marked, block, generator.below(blocks[block].entry.storedFrames),
            at: Page.headerBytes + 4 * generator.below(words))
    }

    func firstFrame(of kind: PageKind) -> (block: Int, frame: Int)? {
        blocks.firstIndex { $0.entry.run.kind == kind }.map { ($0, 0) }
    }

    mutating func store(_ value: UInt32, _ block: Int, _ frame: Int, at offset: Int) {
        let position = frame * blocks[block].entry.run.frameBytes + offset
        withUnsafeBytes(of: value) { bytes in
            for (index, byte) in bytes.enumerated() { blocks[block].raw[position + index] = byte }
        }
    }

    /// The image, with checksums that are right.
    func bytes() throws -> [UInt8] {
        var result: [UInt8] = []
        var entries: [BlockEntry] = []
        for block in blocks {
            var entry = block.entry
            let stored = Self.compressed(block.raw)
            entry.offset = UInt64(result.count)
            entry.storedCount = stored.count
            entry.checksum = stored.withUnsafeBytes {
                BlockEntry.checksum($0, number: entry.number)
            }
            entries.append(entry)
            result += stored
        }
        var root = root
        root.directory = BlockDirectory(chunks: root.directory.chunks, blocks: entries)
        return result + (try root.encode(at: UInt64(result.count))).copyBytes()
    }

    private static func compressed(_ raw: [UInt8]) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: raw.count)
        let count = raw.withUnsafeBytes { raw in
            room.withUnsafeMutableBytes {
                BlockCompression.compress(raw, into: $0, using: .init())
            }
        }
        return count.map { [UInt8](room[..<$0]) } ?? raw
    }

    /// Puts the right checksum behind a root that begins at `start`.
    static func mendRoot(_ bytes: inout [UInt8], at start: Int) {
        let end = bytes.count - ImageRoot.locatorBytes
        let checksum = bytes[start..<end + 12].withUnsafeBytes { ImageRoot.checksum($0) }
        withUnsafeBytes(of: checksum) { checksum in
            for (index, byte) in checksum.enumerated() { bytes[end + 12 + index] = byte }
        }
    }
}
