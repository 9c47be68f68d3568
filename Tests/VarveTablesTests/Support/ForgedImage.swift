import Testing
import VarveCompression
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// The parts of an image, to be changed and put together again.
struct ForgedImage {
    struct Block {
        var entry: BlockEntry
        /// Its frames.
        var raw: [UInt8]
        /// The entry that is true of the frames.
        var written: BlockEntry
        /// Bytes of the content that are replaced, by their places in any content.
        var changes: [(place: UInt64, byte: UInt8)] = []

        init(entry: BlockEntry, raw: [UInt8]) {
            (self.entry, self.raw, written) = (entry, raw, entry)
        }
    }

    var blocks: [Block] = []
    private var root: ImageRoot

    init(_ image: (bytes: [UInt8], image: StoredImage, figures: ImageFigures)) throws {
        root = image.image.root
        let source = MemorySource(image.bytes)
        for entry in try root.directory.allBlocks() {
            let stored = try entry.read(from: source)
            defer { stored.deallocate() }
            var raw = [UInt8](repeating: 0, count: entry.rawCount)
            try raw.withUnsafeMutableBytes {
                try entry.expand(UnsafeRawBufferPointer(stored), into: #require($0.baseAddress))
            }
            blocks.append(Block(entry: entry, raw: raw))
        }
    }

    /// Leaves of rows as images of form 2 have them.
    mutating func putIDsBetweenRows() {
        for index in blocks.indices { blocks[index].putIDsBetweenRows() }
    }

    mutating func change(_ generator: inout SeededGenerator) {
        let block = generator.below(blocks.count)
        if generator.chance(3) {
            let byte = UInt8(truncatingIfNeeded: generator.next())
            blocks[block].changes.append((generator.next(), byte))
            return
        }
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

    /// Leaves a block out, doubles it, exchanges it with another one, takes one of another image, or has the root lie
    /// about it. Blocks stay inside of chunks: where they lie elsewhere, the root cannot be encoded.
    mutating func forgeDirectory(
        _ generator: inout SeededGenerator, with other: ForgedImage
    ) {
        guard blocks.count > 1 else { return }
        let index = generator.below(blocks.count)
        let next = generator.below(blocks.count)
        switch generator.below(9) {
        case 0: blocks.remove(at: index)
        case 1: blocks.insert(blocks[index], at: next)
        case 2:
            let block = blocks[index]
            (blocks[index].raw, blocks[index].written) = (blocks[next].raw, blocks[next].written)
            (blocks[next].raw, blocks[next].written) = (block.raw, block.written)
        case 3: blocks.swapAt(index, next)
        case 4:
            let kind = blocks[index].entry.run.kind
            if let found = other.blocks.filter({ $0.entry.run.kind == kind }).randomElement(
                using: &generator)
            {
                (blocks[index].raw, blocks[index].written) = (found.raw, found.written)
                blocks[index].entry.storedFrames = found.entry.storedFrames
                blocks[index].entry.liveFrames = found.entry.liveFrames
            }
        case 5: blocks[index].entry.liveFrames = generator.below(1_000)
        case 6: blocks[index].entry.storedFrames = generator.below(1_000)
        case 7:
            let run = blocks[index].entry.run
            blocks[index].entry.run = PageRun(
                first: run.first, kind: blocks[next].entry.run.kind,
                frameBytes: blocks[next].entry.run.frameBytes,
                spanCount: 1 + generator.below(run.spanCount))
        default: blocks[index].entry.number = generator.next() >> UInt64(generator.below(64))
        }
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
            let content = try block.content()
            let compressed = Self.compressed(content)
            let stored = compressed ?? content
            entry.offset = UInt64(result.count)
            entry.storedCount = stored.count
            entry.coding.isCompressed = compressed != nil
            entry.checksum = stored.withUnsafeBytes {
                BlockEntry.checksum($0, number: entry.number)
            }
            entries.append(entry)
            result += stored
        }
        return try Self.bytes(root, entries, behind: result)
    }

    /// The parts of a directory of some blocks, and a root, behind the bytes of the blocks.
    static func bytes(
        _ root: ImageRoot, _ blocks: [BlockEntry], behind content: [UInt8]
    ) throws -> [UInt8] {
        var (root, parts) = (root, [UInt8]())
        root.directory = try directory(of: blocks, in: root, &parts)
        let end = UInt64(content.count + parts.count)
        return content + parts + (try root.encode(at: end)).copyBytes()
    }

    private static func directory(
        of blocks: [BlockEntry], in root: ImageRoot, _ parts: inout [UInt8]
    ) throws -> BlockDirectory {
        // Those of a chunk together, as they come.
        let places = blocks.enumerated().sorted {
            ($0.element.run.first.chunk, $0.offset) < ($1.element.run.first.chunk, $1.offset)
        }
        let spanCounts = root.directory.chunks.map { ($0.number, $0.spanCount) }
        var writer = ByteWriter()
        let directory = BlockDirectory.make(
            of: places.map(\.element), spanCounts: Dictionary(uniqueKeysWithValues: spanCounts),
            nextBlock: root.nextBlock, into: &writer)
        parts = writer.copyBytes()
        return directory
    }

    private static func compressed(_ raw: [UInt8]) -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: raw.count)
        let count = raw.withUnsafeBytes { raw in
            room.withUnsafeMutableBytes {
                BlockCompression.compress(raw, into: $0, using: .init())
            }
        }
        return count.map { [UInt8](room[..<$0]) }
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

extension ForgedImage.Block {
    fileprivate mutating func putIDsBetweenRows() {
        entry.coding.hasIDsApart = false
        written.coding.hasIDsApart = false
    }

    /// The frames by columns, with the changes: as the entry says where there are so many, else as they are.
    fileprivate func content() throws -> [UInt8] {
        var raw = raw
        let entry = entry.rawCount <= raw.count ? entry : written
        let room = BlockColumns.byteCountMax(ofFrames: raw.count)
        // A forged run may be one that no page of the kind fits.
        guard
            let columns = BlockColumns(
                entry.run, frameCount: entry.storedFrames, idsApart: entry.coding.hasIDsApart)
        else {
            return [0]
        }
        let between = BlockColumns(
            entry.run, frameCount: entry.storedFrames, idsApart: false)
        var content = [UInt8](unsafeUninitializedCapacity: room) { content, count in
            raw.withUnsafeMutableBytes { raw in
                guard let start = raw.baseAddress else { return }
                // A content says neither kind nor size.
                for frame in 0..<entry.storedFrames {
                    Page(address: start + frame * entry.run.frameBytes)
                        .setKind(entry.run.kind, byteCount: entry.run.frameBytes)
                }
                let room = UnsafeMutableRawBufferPointer(content)
                // Cells that contradict each other are refused before the ids and rows behind them are read.
                count =
                    columns.encode(start, into: room) ?? between?.encode(start, into: room) ?? 0
            }
        }
        for change in changes {
            content[Int(change.place % UInt64(content.count))] = change.byte
        }
        return content
    }
}
