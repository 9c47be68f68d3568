import Foundation
import Varve

/// The process that is killed: writes what the plan says, from where the store is, and acknowledges each transaction by
/// a byte in a file.
struct KilledWriter {
    struct Places {
        let store: URL
        let acknowledged: URL

        init(in directory: URL) {
            store = directory.appending(path: "killed.varve")
            acknowledged = directory.appending(path: "acknowledged")
        }
    }

    private static let transactionsPerCompaction = 40

    private let plan: AssetPlan
    private let places: Places

    init(_ size: AssetSize, in directory: URL) {
        plan = AssetPlan(size)
        places = Places(in: directory)
    }

    /// Returns when all is written.
    func run() async throws {
        let store = try Store.measured(at: places.store)
        let file = open(places.acknowledged.path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        let first = Int(store.lastTransaction.rawValue) + 1
        for transaction in first..<(plan.transactionCount + 1) {
            try await write(transaction, in: store)
            guard Glibc.write(file, "x", 1) == 1 else {
                throw PlainFiles.Failure(path: places.acknowledged.path, code: errno)
            }
            if transaction.isMultiple(of: Self.transactionsPerCompaction) {
                try await store.compact()
            }
        }
        try await store.close()
    }

    /// Keeps the contents at once, each by a task of its own, and saves the pages in one transaction.
    private func write(_ transaction: Int, in store: Store) async throws {
        let pages = plan.pages(of: transaction)
        let images = try await withThrowingTaskGroup(of: (Int, Asset<Data>).self) { group in
            for page in pages {
                group.addTask {
                    let blocks = Content.Blocks(content: page.content)
                    let image = try await Asset<Data>(
                        chunks: blocks, pathExtension: "jpg", in: store)
                    return (page.id, image)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await store.write("Save") { context in
            for page in pages {
                try AssetPage(id: page.id, image: images[page.id]).save(to: &context)
            }
        }
    }
}
