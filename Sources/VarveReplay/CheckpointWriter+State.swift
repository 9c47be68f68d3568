package import VarveEvents
package import VarveLog
package import VarveTables

extension CheckpointWriter {
    /// Writes a state as an image, and returns the digest of its content. The state is the newest of its store, and
    /// the caller's thread is the one that may change that.
    ///
    /// - Parameters:
    ///   - base: the image that the state was opened from. Blocks that did not change since are copied as bytes.
    ///   - step: called before each block with how much is written, from 0 to 1. What it throws ends the writing.
    package func append(
        _ state: State, base: StoredImage? = nil,
        step: (_ fraction: Double) throws(LogError) -> Void = { _ in }
    ) throws(LogError) -> UInt64 {
        var writing = try CheckpointWriting(of: state, base: base, to: self)
        repeat { try step(writing.fraction) } while try writing.advance()
        return writing.contentDigest
    }

    /// Appends a page.
    package func append(
        _ part: CheckpointPart, _ bytes: UnsafeRawBufferPointer, compressing: Bool = true
    ) throws(LogError) {
        try append(
            CheckpointPageKey(
                kind: part.kind.code, subject: part.type.rawValue, part: part.relation.rawValue,
                first: part.first, count: part.count), bytes, compressing: compressing)
    }
}

/// The writing of a state as an image into a checkpoint, a block a step.
///
/// One thread at a time, which may change the state's store.
package struct CheckpointWriting {
    private let writer: CheckpointWriter
    private let state: State
    private var sink: ImageSink
    private var writing: ImageWriting
    /// Whether the root is written too.
    private var isWhole = false

    /// - Parameters:
    ///   - state: the newest of its store.
    ///   - base: the image that it was opened from.
    package init(
        of state: State, base: StoredImage?, to writer: CheckpointWriter
    ) throws(LogError) {
        try writer.holdImage()
        self.writer = writer
        let last = base?.lastTransaction ?? TransactionID(0)
        self.state = state.inNewestLayouts(ofRevisionsBehind: last)
        writing = ImageWriting(
            ImagePlan(self.state, base: base, isThorough: writer.isThorough))
        sink = ImageSink(writer)
    }

    /// How much is written, from 0 to 1.
    package var fraction: Double { sink.fraction }

    /// The digest of the content, when all is written.
    package var contentDigest: UInt64 { sink.digest }

    /// Goes on; false when all is written.
    package mutating func advance() throws(LogError) -> Bool {
        if isWhole { return false }
        do throws(ImageError) {
            if try writing.advance(to: &sink) { return true }
            _ = try writing.finish(to: &sink)
            isWhole = true
            return false
        } catch {
            if let failure = sink.failure { throw failure }
            // What cannot be written was read from the checkpoint before.
            if let image = state.source as? CheckpointImage { throw image.error("\(error)") }
            throw .checkpointDamaged(
                file: writer.header.reference.file.text, reason: "it cannot be written: \(error)")
        }
    }
}

/// Makes pages of a checkpoint of what an image is made of.
private struct ImageSink: BlockSink {
    /// A root has 2.7 bytes for a KiB of pages, more or less.
    private static let rootPageBytes = 1 << 20

    private let writer: CheckpointWriter
    private var expectedCount = 1
    private var blockCount: UInt32 = 0
    /// Why the image is not complete.
    private(set) var failure: LogError?
    /// Of the root, when it is written.
    private(set) var digest: UInt64 = 0

    init(_ writer: CheckpointWriter) { self.writer = writer }

    /// How much is written, from 0 to 1.
    var fraction: Double { min(1, Double(blockCount) / Double(expectedCount)) }

    mutating func begin(blockCount: Int) { expectedCount = max(blockCount, 1) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        let (writer, number) = (writer, blockCount)
        try storing { () throws(LogError) in
            try writer.append(
                CheckpointPart(.block, first: number), bytes, compressing: false)
        }
        blockCount += 1
    }

    mutating func appendRoot(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
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
