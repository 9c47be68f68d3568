internal import VarveEvents
package import VarveLog
internal import VarveTables

/// Reads all of a checkpoint, a page or a block at a time, and compares it with its digest.
package struct CheckpointVerification: ~Copyable {
    /// Nil for an image, whose blocks `image` verifies.
    private var pages: PageVerification?
    private var image: (source: CheckpointImage, blocks: ImageVerification)?

    /// Of pages, or of blocks.
    private let count: Int
    private var position = 0

    init(_ pages: consuming PageVerification) {
        count = pages.count
        self.pages = consume pages
    }

    init(of source: CheckpointImage) throws(LogError) {
        pages = nil
        try source.verifyRoot()
        let blocks = try source.wrapping { () throws(ImageError) in try ImageVerification(source) }
        count = blocks.blockCount
        image = (source, blocks)
    }

    /// How much of it is read.
    package var fraction: Double { Double(min(position, count)) / Double(max(count, 1)) }

    /// Goes on; false when all is read and is as it should be.
    package mutating func advance() throws(LogError) -> Bool {
        position += 1
        guard let source = image?.source else { return try pages?.advance() ?? false }
        return try source.wrapping { () throws(ImageError) in
            try image?.blocks.advance() ?? false
        }
    }
}

/// Reads pages of entities and compares their content with its digest.
struct PageVerification: ~Copyable {
    private let file: CheckpointFile
    private let reader: CheckpointReader
    private var verifier: CheckpointVerifier
    private let pages: [Int]
    private var position = 0

    init(
        of file: CheckpointFile, _ reader: CheckpointReader,
        _ verifier: consuming CheckpointVerifier
    ) {
        self.file = file
        self.reader = reader
        pages = verifier.pages
        self.verifier = verifier
    }

    var count: Int { pages.count }

    mutating func advance() throws(LogError) -> Bool {
        do throws(CheckpointContentError) {
            guard position < pages.count else {
                try verifier.finish(file.contentDigest)
                return false
            }
        } catch {
            throw file.damaged(error)
        }
        let page = pages[position]
        let bytes = PageBytes(try reader.read(file.pages[page]))
        do throws(CheckpointContentError) {
            try verifier.take(bytes.bytes, ofPage: page)
        } catch {
            throw file.damaged(error)
        }
        position += 1
        return true
    }
}
