/// Finds pages of chunks that are not wholly in memory.
package final class ColdPages: Sendable {
    let loader: any PageLoader
    package let health = PageHealth()

    init(_ loader: any PageLoader) { self.loader = loader }

    /// The memory that loaded pages take.
    var loadedBytes: Int { loader.loadedBytes }

    /// The frame with a number, which may be any; a page of zeros, and a note of the damage, where there
    /// is none or it cannot be read.
    func frame(_ number: PageNumber) -> Page {
        do throws(PageDamage) {
            return try loader.frame(number)
        } catch {
            health.note(error)
            return .empty
        }
    }
}

/// The pages of an image that are in memory.
package struct CachedPages: Hashable, Sendable {
    /// Who read pages of one cache name the same.
    package let cache: ObjectIdentifier
    package let byteCount: Int
}

/// Brings pages of an image into memory. Any number of threads ask for them.
protocol PageLoader: AnyObject, Sendable {
    /// The frame with a number, which may be any.
    func frame(_ number: PageNumber) throws(PageDamage) -> Page

    func isUnread(_ number: PageNumber) -> Bool

    /// Whether a number is in the place of one of the image's blocks, read or not.
    func isInBlock(_ number: PageNumber) -> Bool

    /// What the span of a number in one of the image's blocks belongs to; none elsewhere, and where the image does not say.
    func span(of number: PageNumber) -> PageSpan

    /// The spans of one of the image's chunks; nil where the image has none of the number.
    func spanCount(ofChunk number: Int) -> Int?

    /// The spans of one of the image's chunks that are in no block; none where the image does not say.
    func freeSpans(ofChunk number: Int) -> [Range<Int>]

    /// The frame with a number whose block is not in memory, read into a buffer. Nil if the block is to be loaded.
    func frame(_ number: PageNumber, through buffers: ScanBuffers) -> Page?

    /// The memory of the pages that were read through this loader.
    var loadedBytes: Int { get }

    /// Drops blocks where they take more than a limit; see ``PageStore/evictBlocks(above:)``.
    ///
    /// - Returns: whether blocks were dropped.
    func evict(above byteCount: Int) -> Bool

    var cachedPages: CachedPages { get }

    /// Whether the next generation of pages is to replace this one.
    var isFull: Bool { get }
}
