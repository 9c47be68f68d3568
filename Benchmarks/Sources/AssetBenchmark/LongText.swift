import BenchmarkSupport
import Foundation
import Varve

/// A long text that is saved, replaced, undone, and looked up in the history.
struct LongText {
    private let byteCount: Int
    private let url: URL

    init(_ byteCount: Int, in directory: URL) {
        self.byteCount = byteCount
        url = directory.appending(path: "text.varve")
    }

    func measure(_ keeping: Keeping) throws {
        let store = try Store.measured(at: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try step("save", store) { try save(1, keeping, in: store) }
        try step("replace", store) { try save(2, keeping, in: store) }
        try step("undo", store) { try store.undo() }
        try step("history", store) { try readHistory(keeping, of: store) }
        try store.close()
    }

    /// Prints time, bytes logged and the peak of memory of a step.
    private func step(_ name: String, _ store: Store, _ body: () throws -> Void) throws {
        let logged = store.statistics.log.storedBytes.rawValue
        try Memory.resetPeak()
        let seconds = try WallClock.seconds(body)
        let bytes = store.statistics.log.storedBytes.rawValue - logged
        print(
            "  \(name): \(Spread.text(seconds * 1e3)) ms, \(Spread.text(Double(bytes) / 1e6)) MB logged,"
                + " peak \(Spread.text(Memory.peakMegabytes)) MB")
    }

    private func save(_ number: Int, _ keeping: Keeping, in store: Store) throws {
        let content = Content(number: number, byteCount: byteCount)
        switch keeping {
        case .property:
            let page = PlainPage(id: 1, text: content.text)
            try store.write("Save") { try page.save(to: &$0) }
        case .asset:
            try store.write("Save") { context in
                let text = try Asset<String>(chunks: content, pathExtension: "txt", in: store)
                try AssetPage(id: 1, text: text).save(to: &context)
            }
        }
    }

    /// Reads the text of each version.
    private func readHistory(_ keeping: Keeping, of store: Store) throws {
        var read = 0
        switch keeping {
        case .property:
            for version in try store.history(of: PlainPage.self, id: 1) {
                read += version.entity?.text.utf8.count ?? 0
            }
        case .asset:
            for version in try store.history(of: AssetPage.self, id: 1) {
                try version.entity?.text?.forEachChunk(in: store) { read += $0.count }
            }
        }
        precondition(read == 3 * byteCount, "three versions, of which \(read) bytes were read")
    }
}
