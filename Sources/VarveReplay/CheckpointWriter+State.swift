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
        step: @escaping (_ fraction: Double) throws(LogError) -> Void = { _ in }
    ) throws(LogError) -> UInt64 {
        try holdImage()
        let last = base?.lastTransaction ?? TransactionID(0)
        let newest = state.inNewestLayouts(ofRevisionsBehind: last)
        var sink = ImageSink(self, step)
        do throws(ImageError) {
            _ = try ImagePlan(newest, base: base, isThorough: isThorough).write(to: &sink)
        } catch {
            if let failure = sink.failure { throw failure }
            // What cannot be written was read from the checkpoint before.
            if let image = newest.source as? CheckpointImage { throw image.error("\(error)") }
            throw .checkpointDamaged(
                file: header.reference.file.text, reason: "it cannot be written: \(error)")
        }
        return sink.digest
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

/// Makes pages of a checkpoint of what an image is made of.
private struct ImageSink: BlockSink {
    /// A root has 2.7 bytes for a KiB of pages, more or less.
    private static let rootPageBytes = 1 << 20

    private let writer: CheckpointWriter
    private let step: (Double) throws(LogError) -> Void
    private var expectedCount = 1
    private var blockCount: UInt32 = 0
    /// Why the image is not complete.
    private(set) var failure: LogError?
    /// Of the root, when it is written.
    private(set) var digest: UInt64 = 0

    init(_ writer: CheckpointWriter, _ step: @escaping (Double) throws(LogError) -> Void) {
        self.writer = writer
        self.step = step
    }

    mutating func begin(blockCount: Int) { expectedCount = max(blockCount, 1) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        let (step, writer, number) = (step, writer, blockCount)
        let fraction = Double(number) / Double(expectedCount)
        try storing { () throws(LogError) in
            try step(min(fraction, 1))
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
