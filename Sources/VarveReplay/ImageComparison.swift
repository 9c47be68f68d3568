package import VarveLog

/// Compares the stored bytes of an image with their checksums, a page a step. Nothing is decompressed.
///
/// What an opening has left for later: a block is compared when it is read, too, but some are not read for long.
package struct ImageComparison: Sendable {
    private let image: CheckpointImage
    /// The pages that are left.
    private var pages: Range<Int>

    init(_ image: CheckpointImage) {
        self.image = image
        pages = image.file.pages.indices
    }

    /// The name of the checkpoint that the image is in.
    package var file: String { image.file.reference.file.text }

    /// Compares the next page; false where none is left. Throws what reading it would throw.
    package mutating func advance() throws(LogError) -> Bool {
        guard let next = pages.first else { return false }
        // Behind it: what the system refuses is read again.
        try image.verifyStored(next..<next + 1)
        pages.removeFirst()
        return true
    }
}
