import BenchmarkSupport
import Foundation
import Varve

/// A store of photos, filled by one process and opened by another.
struct Photos {
    private let size: AssetSize
    private let url: URL
    private let keeping: Keeping

    init(_ size: AssetSize, in directory: URL, _ keeping: Keeping) {
        self.size = size
        self.keeping = keeping
        url = directory.appending(path: "photos-\(keeping.rawValue).varve")
    }

    func fill() throws {
        let store = try Store.measured(at: url)
        let seconds = try WallClock.seconds {
            for number in 0..<size.photoCount { try save(number, in: store) }
        }
        let rate = Double(size.photoCount * size.photoBytes) / 1e6 / seconds
        print("  \(Spread.text(rate)) MB/s")
        try store.close()
    }

    private func save(_ number: Int, in store: Store) throws {
        let content = Content(number: number, byteCount: size.photoBytes)
        switch keeping {
        case .property:
            try store.write { try PlainPage(id: number, image: content.data).save(to: &$0) }
        case .asset:
            try store.write { context in
                let image = try Asset<Data>(chunks: content, pathExtension: "jpg", in: store)
                try AssetPage(id: number, image: image).save(to: &context)
            }
        }
    }

    /// Opens the store, and finds one photo without a look at its content.
    func open() throws {
        var store: Store?
        let seconds = try WallClock.seconds { store = try Store.measured(at: url) }
        let context = store?.context
        let isFound =
            switch keeping {
            case .property: PlainPage.query(1).resolve(in: context ?? Context()) != nil
            case .asset: AssetPage.query(1).resolve(in: context ?? Context()) != nil
            }
        precondition(isFound, "the photo that was saved")
        print("  opened in \(Spread.text(seconds * 1e3)) ms")
        try store?.close()
        try FileManager.default.removeItem(at: url)
    }
}
