import VarveCompression
import VarveEvents

/// Writes the blocks of one image, in the order of their places.
struct BlockWriter {
    /// The number of the next block that is made.
    var nextBlock: UInt64 = 0
    /// Where the next block begins.
    private(set) var offset: UInt64 = 0
    var figures = ImageFigures()

    private let pages: PageTable
    private let base: StoredImage?
    private var blocks: [BlockEntry] = []
    private let compression: ImageCompression
    private let compressor: BlockCompression.Compressor

    /// Where the blocks begin that are still to be written.
    private var places: ArraySlice<PageNumber> = []
    private var found: [PageNumber: PageSurvey.Found] = [:]
    /// By place: those of the image before, and their frames whose pages are gone.
    private var old: [PageNumber: BlockEntry] = [:]
    private var gone: [PageNumber: [Int]] = [:]

    init(_ pages: PageTable, base: StoredImage?, _ compression: ImageCompression) {
        self.pages = pages
        self.base = base
        self.compression = compression
        compressor = .init(compression == .thorough ? .thorough : .quick)
    }

    /// Writes what says where the blocks are, behind the last of them.
    mutating func finish(
        to sink: inout some BlockSink
    ) throws(ImageError) -> BlockDirectory {
        var spanCounts: [Int: Int] = [:]
        for block in blocks where spanCounts[block.run.first.chunk] == nil {
            let number = block.run.first.chunk
            // A run of the image before may lie in a chunk that is another one in memory, or none.
            spanCounts[number] =
                pages.spanCount(ofChunk: number) ?? base?.root.directory.spanCount(ofChunk: number)
        }
        var parts = ByteWriter(capacity: 4_096)
        let directory = BlockDirectory.make(
            of: blocks, spanCounts: spanCounts, nextBlock: nextBlock, into: &parts)
        var start = 0
        for chunk in directory.chunks {
            let range = start..<start + chunk.partBytes
            try parts.withBytes { bytes throws(ImageError) in
                try append(UnsafeRawBufferPointer(rebasing: bytes[range]), to: &sink)
            }
            start = range.upperBound
        }
        offset = directory.endOffset
        return directory
    }

    /// Says what the blocks are made of.
    ///
    /// - Parameters:
    ///   - found: the pages that the image before does not have.
    ///   - departed: those of the image before that are gone.
    mutating func begin(
        _ found: [PageNumber: PageSurvey.Found], departed: [PageNumber],
        to sink: inout some BlockSink
    ) throws(PageDamage) {
        self.found = found
        if let directory = base?.root.directory {
            for block in try directory.allBlocks() { old[block.run.first] = block }
            for number in departed {
                guard let found = try directory.frame(of: number) else { continue }
                gone[found.entry.run.first, default: []].append(found.index)
            }
        }
        places = Set(found.keys).union(old.keys).sorted { $0.rawValue < $1.rawValue }[...]
        sink.begin(blockCount: places.count)
    }

    /// Writes the next block; false when all are written.
    mutating func advance(to sink: inout some BlockSink) throws(ImageError) -> Bool {
        guard let first = places.popFirst() else { return false }
        let block = old[first]
        let missing = gone[first] ?? []
        let isGoodEnough = compression == .quick || block?.coding.isThorough == true
        if let block, found[first] == nil, missing.isEmpty, isGoodEnough {
            try copy(block, to: &sink)
        } else {
            try make(block, without: missing, found[first], to: &sink)
        }
        return true
    }

    private func image() -> StoredImage {
        guard let base else { preconditionFailure("an old block is one of an image") }
        return base
    }

    private mutating func copy(
        _ block: BlockEntry, to sink: inout some BlockSink
    ) throws(ImageError) {
        let source = image().source
        let bytes = try ImageError.reading { () throws(PageDamage) in try block.read(from: source) }
        defer { bytes.deallocate() }
        try append(UnsafeRawBufferPointer(bytes), to: &sink)
        var copied = block
        copied.offset = offset
        add(copied)
        figures.copiedBlocks += 1
    }

    /// Makes a block of what is left of an old one and of new pages.
    private mutating func make(
        _ block: BlockEntry?, without missing: [Int], _ found: PageSurvey.Found?,
        to sink: inout some BlockSink
    ) throws(ImageError) {
        guard let run = found?.run ?? block?.run else { return }
        let frames = UnsafeMutableRawBufferPointer.allocate(byteCount: run.byteCount, alignment: 64)
        defer { frames.deallocate() }
        guard let start = frames.baseAddress else { return }
        start.initializeMemory(as: UInt8.self, repeating: 0, count: frames.count)
        // Of a chunk that was released, and is used for another run now, nothing is left. A block whose pages are
        // all gone is not needed, so damage in it does no harm.
        if let block, block.run == run, missing.count < block.liveFrames {
            try read(block, into: start)
            for index in missing {
                (start + index * run.frameBytes).initializeMemory(
                    as: UInt8.self, repeating: 0, count: run.frameBytes)
            }
        }
        for index in found?.frames ?? [] {
            let frame = start + index * run.frameBytes
            let page = pages[run.number(index)]
            if page.isPlaceholder { continue }
            frame.copyMemory(from: page.address, byteCount: run.frameBytes)
            PageAnatomy.clearUnused(Page(address: frame))
        }
        try write(run, start, to: &sink)
    }

    /// Makes the pages of an old block, as a state would have them. What contradicts itself has no columns.
    private func read(
        _ block: BlockEntry, into start: UnsafeMutableRawPointer
    ) throws(ImageError) {
        let image = image()
        try ImageError.reading { () throws(PageDamage) in
            try block.readFrames(from: image.source, into: start)
            try block.checkPages(start, through: image.root.version) { _ in }
        }
        for index in 0..<block.storedFrames {
            let page = Page(address: start + index * block.run.frameBytes)
            // The check fills what is not in use.
            if page.birth != .none { PageAnatomy.clearUnused(page) }
        }
    }

    private mutating func write(
        _ run: PageRun, _ frames: UnsafeMutableRawPointer, to sink: inout some BlockSink
    ) throws(ImageError) {
        var (liveFrames, storedFrames) = (0, 0)
        for index in 0..<run.frameCount
        where frames.load(fromByteOffset: index * run.frameBytes, as: UInt64.self) != 0 {
            liveFrames += 1
            storedFrames = index + 1
        }
        if liveFrames == 0 { return }
        let idsApart = run.kind == PageKind(.rowLeaf)
        guard
            let columns = BlockColumns(run, frameCount: storedFrames, idsApart: idsApart)
        else {
            preconditionFailure("pages that no block can hold")
        }
        let room = BlockColumns.byteCountMax(ofFrames: storedFrames * run.frameBytes)
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        let compressed = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer {
            content.deallocate()
            compressed.deallocate()
        }
        // Pages are checked when they are loaded, and above.
        guard let rawCount = columns.encode(frames, into: content) else {
            throw .damaged(.contradiction)
        }
        let raw = UnsafeRawBufferPointer(rebasing: content[..<rawCount])
        let count = BlockCompression.compress(raw, into: compressed, using: compressor)
        let stored = count.map { UnsafeRawBufferPointer(rebasing: compressed[..<$0]) } ?? raw
        let checksum = BlockEntry.checksum(stored, number: nextBlock)
        try append(stored, to: &sink)
        add(
            BlockEntry(
                number: nextBlock, run: run, storedFrames: storedFrames, liveFrames: liveFrames,
                offset: offset, storedCount: stored.count,
                coding: BlockCoding(
                    isCompressed: count != nil, isThorough: compression == .thorough,
                    hasIDsApart: idsApart), checksum: checksum))
        nextBlock += 1
        figures.writtenBlocks += 1
        figures.writtenBytes += UInt64(stored.count)
    }

    private func append(
        _ bytes: UnsafeRawBufferPointer, to sink: inout some BlockSink
    ) throws(ImageError) {
        try ImageError.storing { () throws(BlockStorageError) in try sink.append(bytes) }
    }

    private mutating func add(_ block: BlockEntry) {
        blocks.append(block)
        offset += UInt64(block.storedCount)
        figures.pageBytes += UInt64(block.rawCount)
    }
}
