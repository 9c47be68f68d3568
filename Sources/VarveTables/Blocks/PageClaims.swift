import Synchronization

/// The pages that were named before it was known where the blocks of their chunk are. When that is read they are checked.
///
/// A block of nodes names pages of most chunks of an image: to check them at once, the parts of all these chunks would be read.
final class PageClaims: Sendable {
    private struct Claim {
        let number: PageNumber
        let expectation: PageAnatomy.Expectation
    }

    /// By the position of the chunk.
    private let open: Mutex<[[Claim]]>

    init(chunkCount: Int) { open = Mutex(Array(repeating: [], count: chunkCount)) }

    /// Notes a page of a chunk, whose blocks ``find`` has where they were read meanwhile. Returns those; nil where it was noted.
    func add(
        _ number: PageNumber, _ expectation: PageAnatomy.Expectation, ofChunk position: Int,
        unless find: () -> ChunkBlocks?
    ) -> ChunkBlocks? {
        open.withLock { open in
            if let known = find() { return known }
            open[position].append(Claim(number: number, expectation: expectation))
            return nil
        }
    }

    /// Compares the pages that were named of a chunk with its blocks, and calls `publish` where these are what the chunk has. No page is
    /// noted between the two.
    ///
    /// - Returns: false where a page was named that is none of the blocks, or of another kind.
    func settle(_ blocks: ChunkBlocks, ofChunk position: Int, _ publish: () -> Void) -> Bool {
        open.withLock { open in
            let isSound = open[position].allSatisfy { blocks.has($0.number, $0.expectation) }
            if isSound {
                open[position] = []
                publish()
            }
            return isSound
        }
    }
}
