internal import VarveText

/// A checkpoint as the manifest names it: the number in its file's name, and the last transaction
/// whose effects it holds.
package struct CheckpointReference: Hashable, Sendable {
    package let number: UInt64
    package let sequence: LogSequence

    package init(number: UInt64, sequence: LogSequence) {
        self.number = number
        self.sequence = sequence
    }

    package var file: StoreFileName { .checkpoint(number: number) }
}

/// A checkpoint that could not be used, and why. Opening went on without it.
public struct CheckpointProblem: Hashable, Sendable {
    /// The file's name inside the store.
    public let file: String
    /// Where in the file it is not what was written, as far as that is known.
    public let offset: FrameOffset?
    /// Why it could not be used.
    public let reason: String

    package init(
        _ checkpoint: CheckpointReference, offset: FrameOffset? = nil, reason: String
    ) {
        file = checkpoint.file.text
        self.offset = offset
        self.reason = reason
    }
}

extension CheckpointProblem: CustomStringConvertible {
    /// One line: file and reason.
    public var description: String { "\(file) is unusable (\(reason))".escapedForDisplay }
}
