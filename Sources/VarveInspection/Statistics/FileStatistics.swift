/// A file of the store, and what types take in it.
public struct FileStatistics: Sendable {
    /// What a file is for.
    public enum Kind: Hashable, Sendable {
        /// By its name; `lost` is a tail that recovery cut off, `assets` all files of assets together.
        case segment, checkpoint, manifest, lock, lost, assets, other
    }

    /// Inside the store's directory.
    public let name: String
    /// What it is for.
    public let kind: Kind
    /// How long it is.
    public let bytes: ByteCount
    /// The oldest transaction of a segment.
    public let first: TransactionID?
    /// The newest transaction of a segment; of a checkpoint the one of whose state it is.
    public let last: TransactionID?
    /// How many transactions could be read in it.
    public let transactions: UInt64
    /// By type number, in compressed bytes.
    public let types: [UInt32: ByteCount]
    /// What is wrong with a checkpoint.
    public let problem: String?
}
