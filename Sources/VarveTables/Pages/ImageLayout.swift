/// Which chunks an image has.
struct ImageLayout {
    /// A chunk has no more spans.
    static let spansMax = 1 << (PageNumber.unitBits - PageSpan.unitBits)

    struct Chunk: Hashable {
        let number: Int
        let spanCount: Int
        /// Of these, the spans that are in no block.
        let freeSpanCount: Int
    }

    var chunks: [Chunk] = []
    /// Of the frames, those that hold a page.
    var pageCount = 0
    /// The memory of all frames.
    var pageBytes = 0
}
