internal import VarveEvents
package import VarveLog
package import VarveTables

/// The writing of a state into a checkpoint, a block or a page a step.
///
/// A checkpoint is an image, which opens at once. Where it is to be small it has pages of entities: column by column, and without
/// what can be made again of them.
///
/// One thread at a time. Where no image was planned before, it is one that may change the state's store.
package struct CheckpointWriting: ~Copyable {
    private var image: ImageCheckpointWriting?
    /// Nil for an image.
    private var entities: EntityCheckpointWriting?

    /// - Parameters:
    ///   - state: the newest of its store.
    ///   - base: the image that it was opened from. Blocks that did not change since are copied as bytes.
    ///   - compression: of the blocks of an image.
    package init(
        of state: State, base: StoredImage?, to writer: CheckpointWriter,
        _ compression: ImageCompression
    ) throws(LogError) {
        if writer.isThorough {
            entities = EntityCheckpointWriting(of: state, to: writer)
        } else {
            image = try ImageCheckpointWriting(of: state, base: base, to: writer, compression)
        }
    }

    /// Writes an image that was planned. Any thread may do so, while the state's store changes.
    ///
    /// - Parameter plan: of a state whose rows are in their newest layouts; see ``NewestRows/areNeeded(of:ofRevisionsBehind:)``.
    package init(_ plan: ImagePlan, to writer: CheckpointWriter) throws(LogError) {
        image = try ImageCheckpointWriting(plan, to: writer)
    }

    /// How much is written, from 0 to 1.
    package var fraction: Double {
        if let image { return image.fraction }
        return entities?.fraction ?? 0
    }

    /// The digest of the content, when all is written.
    package var contentDigest: UInt64 {
        if let image { return image.contentDigest }
        return entities?.contentDigest ?? 0
    }

    /// Goes on; false when all is written.
    package mutating func advance() throws(LogError) -> Bool {
        if let image { return try image.advance() }
        return try entities?.advance() ?? false
    }
}

/// The writing of a state as pages of entities. Belongs to one thread at a time.
private final class EntityCheckpointWriting {
    private let writer: CheckpointWriter
    private let state: State
    private var encoder: CheckpointEncoder
    private var slotsWritten = 0

    init(of state: State, to writer: CheckpointWriter) {
        self.writer = writer
        self.state = state
        encoder = CheckpointEncoder(state.checkpointSource)
    }

    /// Links come behind the entities, and are not counted.
    var fraction: Double { min(1, Double(slotsWritten) / Double(max(state.slotCount, 1))) }

    var contentDigest: UInt64 { encoder.contentDigest }

    func advance() throws(LogError) -> Bool {
        let part = try nextPart()
        guard let part else { return false }
        try encoder.withPage { page throws(LogError) in try writer.append(part, page) }
        if part.kind == .rows { slotsWritten += Int(part.count) }
        return true
    }

    /// What cannot be read of the image under the state is in no page.
    private func nextPart() throws(LogError) -> CheckpointPart? {
        return try state.reading {
            $0
        } _: { () throws(LogError) in
            do throws(CodecError) {
                return try encoder.next()
            } catch {
                // Rows of an older definition that cannot be brought to the newest.
                throw .checkpointDamaged(
                    file: writer.header.reference.file.text,
                    reason: "it cannot be written: \(error)")
            }
        }
    }
}

/// The writing of a state as an image: first rows of older definitions are brought to the newest, some a step, then a
/// block is written a step. Belongs to one thread at a time.
private final class ImageCheckpointWriting {
    private let writer: CheckpointWriter
    private var state: State
    private let base: StoredImage?
    private let compression: ImageCompression
    private var sink: ImageSink
    /// Nil when no row is left that is to be rewritten.
    private var rows: NewestRows?
    /// Nil before the first block.
    private var writing: ImageWriting?
    /// Whether the root is written too.
    private var isWhole = false

    init(
        of state: State, base: StoredImage?, to writer: CheckpointWriter,
        _ compression: ImageCompression
    ) throws(LogError) {
        try writer.holdImage()
        self.writer = writer
        self.state = state
        self.base = base
        self.compression = compression
        rows = NewestRows(of: state, ofRevisionsBehind: base?.lastTransaction ?? TransactionID(0))
        sink = ImageSink(writer)
    }

    init(_ plan: ImagePlan, to writer: CheckpointWriter) throws(LogError) {
        try writer.holdImage()
        self.writer = writer
        state = plan.state
        base = plan.base
        compression = plan.compression
        rows = nil
        sink = ImageSink(writer)
        writing = ImageWriting(plan)
    }

    var fraction: Double { sink.fraction }

    var contentDigest: UInt64 { sink.digest }

    func advance() throws(LogError) -> Bool {
        if isWhole { return false }
        if try rewriteRows() { return true }
        do throws(ImageError) {
            if try writing?.advance(to: &sink) ?? false { return true }
            _ = try writing?.finish(to: &sink)
            isWhole = true
            return false
        } catch {
            if let failure = sink.failure { throw failure }
            // What cannot be written was read from the checkpoint before.
            if let image = state.source as? CheckpointImage {
                guard case .damaged(let damage) = error else { throw image.error("\(error)") }
                throw image.error("\(damage)", at: damage.place?.offset)
            }
            throw .checkpointDamaged(
                file: writer.header.reference.file.text, reason: "it cannot be written: \(error)")
        }
    }
}

extension ImageCheckpointWriting {
    /// Goes on with rows of older definitions; false when there are none, and blocks can be written.
    private func rewriteRows() throws(LogError) -> Bool {
        guard writing == nil else { return false }
        if rows?.advance() ?? false { return true }
        // The former leaves of rewritten rows need not stay in memory.
        if let rows = rows.take() { state = rows.finish() }
        writing = ImageWriting(ImagePlan(state, base: base, compression: compression))
        return false
    }
}

/// Makes pages of a checkpoint of what an image is made of.
private struct ImageSink: BlockSink {
    /// A page of blocks takes no more, unless a block does. Each has an entry in the page table, which an opening reads.
    private static let blockPageBytes = 256 << 10
    private static let rootPageBytes = 1 << 20

    private let writer: CheckpointWriter
    private var expectedCount = 1
    private var blockCount = 0
    private var blockPageCount: UInt32 = 0
    /// The blocks of the next page.
    private var blocks: [UInt8] = []
    /// Why the image is not complete.
    private(set) var failure: LogError?
    /// Of the root, when it is written.
    private(set) var digest: UInt64 = 0

    init(_ writer: CheckpointWriter) { self.writer = writer }

    /// How much is written, from 0 to 1.
    var fraction: Double { min(1, Double(blockCount) / Double(expectedCount)) }

    mutating func begin(blockCount: Int) { expectedCount = max(blockCount, 1) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        if blocks.count + bytes.count > Self.blockPageBytes { try appendBlocks() }
        if bytes.count >= Self.blockPageBytes {
            try appendPage(bytes)
        } else {
            blocks.append(contentsOf: bytes)
        }
        blockCount += 1
    }

    private mutating func appendBlocks() throws(BlockStorageError) {
        if blocks.isEmpty { return }
        var page = [UInt8]()
        swap(&page, &blocks)
        try page.withUnsafeBytesTyped { bytes throws(BlockStorageError) in
            try appendPage(bytes)
        }
        // Its room serves the next page.
        page.removeAll(keepingCapacity: true)
        swap(&page, &blocks)
    }

    private mutating func appendPage(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        let (writer, part) = (writer, CheckpointPart(.block, first: blockPageCount))
        try storing { () throws(LogError) in
            try writer.append(part, bytes, compressing: false)
        }
        blockPageCount += 1
    }

    mutating func appendRoot(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        try appendBlocks()
        digest = CheckpointImage.digest(ofRoot: bytes)
        let writer = writer
        try storing { () throws(LogError) in
            var (start, number) = (0, UInt32(0))
            while start < bytes.count {
                let end = min(start + Self.rootPageBytes, bytes.count)
                try writer.append(
                    CheckpointPart(.imageRoot, first: number),
                    UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                (start, number) = (end, number + 1)
            }
        }
    }

    private mutating func storing(
        _ body: () throws(LogError) -> Void
    ) throws(BlockStorageError) {
        do throws(LogError) {
            try body()
        } catch {
            failure = error
            throw BlockStorageError(reason: "\(error)")
        }
    }
}
