/// What a process that is going to be killed writes, transaction by transaction: large contents and batches of small
/// ones in between. Each fourth transaction replaces what the one before it has written.
struct AssetPlan {
    /// One page whose content a transaction writes.
    struct Page {
        let id: Int
        let content: Content
    }

    static let pagesPerBatch = 20

    private let size: AssetSize
    private let batchCount: Int

    init(_ size: AssetSize) {
        self.size = size
        batchCount = size.smallCount / Self.pagesPerBatch
    }

    /// Transactions that bring new pages.
    private var stepCount: Int { size.largeCount + batchCount }

    /// How many transactions there are.
    var transactionCount: Int { stepCount + stepCount / 3 }

    /// The pages that the transaction of a number, from 1 on, writes.
    func pages(of transaction: Int) -> [Page] {
        let number = transaction - 1
        let isReplacement = number % 4 == 3
        let step = isReplacement ? number - 1 - number / 4 : number - number / 4
        let largeBefore = step * size.largeCount / stepCount
        let isLarge = (step + 1) * size.largeCount / stepCount > largeBefore
        let (count, byteCount) =
            isLarge ? (1, size.largeBytes) : (Self.pagesPerBatch, size.smallBytes)
        let first =
            isLarge
            ? largeBefore : size.largeCount + (step - largeBefore) * Self.pagesPerBatch
        return (0..<count).map { place in
            Page(
                id: first + place,
                content: Content(
                    number: transaction * Self.pagesPerBatch + place, byteCount: byteCount))
        }
    }

    /// The content of each page behind a transaction.
    func contents(behind last: Int) -> [Int: Content] {
        var contents: [Int: Content] = [:]
        for transaction in 1..<(last + 1) {
            for page in pages(of: transaction) { contents[page.id] = page.content }
        }
        return contents
    }
}
