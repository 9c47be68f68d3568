/// Which chunks and runs an image has.
struct ImageLayout {
    /// A chunk has no more spans.
    static let spansMax = 1 << (PageNumber.unitBits - PageSpan.unitBits)

    struct Chunk: Hashable {
        let number: Int
        let spanCount: Int
    }

    var chunks: [Chunk] = []
    /// By place.
    var runs: [PageRun] = []
    /// Of the frames, those that hold a page.
    var pageCount = 0
}
