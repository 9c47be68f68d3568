/// How far the opening of a store is.
public struct OpeningProgress: Hashable, Sendable {
    /// What is being done, in this order.
    public enum Phase: String, Sendable, CaseIterable {
        /// The newest checkpoint is read.
        case checkpoint
        /// The log behind the checkpoint is replayed.
        case replay
        /// The entities are made from their bytes.
        case entities
        /// The end of the log is put in order. A store that is only read has no such phase.
        case recovery
    }

    /// What is being done.
    public let phase: Phase
    /// How many bytes of the log are replayed.
    public let bytesReplayed: UInt64
    /// How many there are to replay, once that is known.
    public let bytesToReplay: UInt64
}
