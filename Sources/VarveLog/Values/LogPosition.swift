/// The end of a log: equal where nothing was written in between, because the digest covers every
/// frame of the log.
package struct LogPosition: Hashable, Sendable {
    package let store: StoreID
    /// Of the manifest: another one has other files, wherever the log ends.
    let generation: UInt64
    let segment: SegmentID
    let end: FrameOffset
    let digest: ChainDigest
    package let lastSequence: LogSequence
    /// The checkpoint that the next compaction begins with.
    package var checkpoint: CheckpointReference?
}
