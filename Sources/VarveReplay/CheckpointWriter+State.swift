package import VarveEvents
package import VarveLog
package import VarveTables

extension CheckpointWriter {
    /// Writes a state, and returns the digest of its content. The state is the newest of its store, and
    /// the caller's thread is the one that may change that.
    ///
    /// - Parameters:
    ///   - base: the image that the state was opened from. Blocks that did not change since are copied as bytes.
    ///   - compression: of the blocks of an image.
    ///   - step: called before each block, or page, with how much is written, from 0 to 1. What it throws ends the writing.
    package func append(
        _ state: State, base: StoredImage? = nil, _ compression: ImageCompression,
        step: (_ fraction: Double) throws(LogError) -> Void = { _ in }
    ) throws(LogError) -> UInt64 {
        var writing = try CheckpointWriting(of: state, base: base, to: self, compression)
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
