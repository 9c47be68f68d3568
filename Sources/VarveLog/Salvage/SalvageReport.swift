internal import VarveText

/// What a salvage brought into the new store, and everything that it could not.
public struct SalvageReport: Hashable, Sendable {
    /// Bytes of the damaged store that are not what was written, or files that are not there.
    public struct Damage: Hashable, Sendable {
        /// The file's name inside the damaged store.
        public var file: String
        /// Where it starts; 0 for a whole file.
        public var offset: FrameOffset
        /// 0 for a file that is missing.
        public var bytes: ByteCount
        /// The transaction that lay there, where a header still says so.
        public var transaction: LogSequence?
        /// What is wrong with the bytes.
        public var reason: String
    }

    /// Transactions that are not in the new store.
    public struct Gap: Hashable, Sendable {
        /// The first transaction that is missing.
        public var first: LogSequence
        /// The last transaction that is missing.
        public var last: LogSequence

        /// How many transactions are missing.
        public var count: UInt64 { last.rawValue - first.rawValue + 1 }
    }

    /// A transaction that could not be taken as it was, because it counts on one that is lost.
    public struct Adjustment: Hashable, Sendable {
        /// The transaction.
        public var transaction: LogSequence
        /// What was left out or made to fit, one text an event; at most the first twenty.
        public var changes: [String]
        /// How many events there were to change.
        public var count: Int
    }

    /// The new store's identity: its own.
    public var store = StoreID(high: 0, low: 0)
    /// The damaged store's, where anything still says it.
    public var source: StoreID?
    /// Whole transactions that were brought over, adjusted ones included.
    public var transactions: UInt64 = 0
    /// The first and the last transaction of the new store's history; of a store without any, the
    /// first is behind the last.
    public var first = LogSequence(1)
    /// The last transaction of the new store's history; `.none` where it has none.
    public var last = LogSequence.none
    /// The transaction whose state was taken from a checkpoint; `.none` when the log was enough.
    public var checkpoint = LogSequence.none
    /// In the order of files and offsets.
    public var damages: [Damage] = []
    /// Lost for good, by number. In the new store's history empty transactions take the numbers of those that
    /// lie between others; the numbers of those at the end are given again.
    public var lost: [Gap] = []
    /// Undamaged transactions whose effects are in the new store's checkpoint, and which its history
    /// does not reach back to, because others between them and the checkpoint are lost.
    public var folded: [Gap] = []
    /// Transactions that were made to fit; at most the first thousand.
    public var adjusted: [Adjustment] = []
    /// How many adjustments there were in all: at most the first thousand are listed.
    public var adjustedCount = 0
    /// The end of the log that no promise covered: the trace of an interruption, no loss.
    public var unpromisedTail: RecoveryReport.DroppedTail?
    /// Zeros behind the last frame of the log: space that was not used, or writes that were lost.
    public var unused: RecoveryReport.UnusedSpace?
    /// How many assets were brought over, whose content was compared with their digests.
    public var assets = 0
    /// What they occupy.
    public var assetBytes = ByteCount.zero
    /// What was read, and what the new store occupies.
    public var bytesRead = ByteCount.zero
    /// How much was written into the new store.
    public var bytesWritten = ByteCount.zero

    /// Nothing that was ever promised to be safe is missing.
    public var isComplete: Bool { damages.isEmpty && lost.isEmpty && adjustedCount == 0 }

    /// Notes a file that could not be brought over.
    package mutating func addDamage(toWhole file: String, reason: String) {
        damages.append(
            Damage(
                file: file, offset: FrameOffset(0), bytes: .zero, transaction: nil, reason: reason))
    }
}

extension SalvageReport.Gap: CustomStringConvertible {
    /// One number, or the first and the last.
    public var description: String { first == last ? "\(first)" : "\(first) to \(last)" }
}

extension SalvageReport.Damage: CustomStringConvertible {
    /// One line: file, place and reason.
    public var description: String {
        let place = bytes == .zero ? file : "\(file), offset \(offset), \(bytes)"
        let number = transaction.map { ", transaction \($0)" } ?? ""
        return "\(place)\(number): \(reason)".escapedForDisplay
    }
}

extension SalvageReport: CustomStringConvertible {
    /// One line: the history that was brought over, what is lost, and how many places are damaged.
    public var description: String {
        let range = first <= last ? "transactions \(first) to \(last)" : "no history"
        let base = checkpoint > .none ? " behind the checkpoint of \(checkpoint)" : ""
        let lost =
            lost.isEmpty
            ? "nothing lost"
            : "lost: "
                + self.lost.map(\.description).joined(
                    separator: ", ")
        return "\(range)\(base); \(lost); \(damages.count) damaged places"
    }
}
