import BenchmarkSupport
import Foundation
import Varve

/// From which size on a content is better an asset than a value in the log.
struct Threshold {
    private let rounds: Int
    private let url: URL

    init(_ rounds: Int, in directory: URL) {
        self.rounds = rounds
        url = directory.appending(path: "threshold.varve")
    }

    func measure() throws {
        for byteCount in [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576] {
            let store = try Store.measured(at: url)
            defer { try? FileManager.default.removeItem(at: url) }
            var (saves, reads): ([Keeping: [Double]], [Keeping: [Double]]) = ([:], [:])
            for round in 0..<rounds {
                for keeping in [Keeping.property, .asset] {
                    saves[keeping, default: []].append(
                        try save(round, byteCount, keeping, in: store))
                    reads[keeping, default: []].append(
                        try read(round, byteCount, keeping, in: store))
                }
            }
            func median(_ times: [Keeping: [Double]], _ keeping: Keeping) -> String {
                Spread.text((times[keeping] ?? [0]).percentile(0.5) * 1e6)
            }
            print(
                "  \(byteCount) bytes: save \(median(saves, .property)) and \(median(saves, .asset)) µs,"
                    + " read \(median(reads, .property)) and \(median(reads, .asset)) µs")
            try store.close()
        }
    }

    private func save(
        _ number: Int, _ byteCount: Int, _ keeping: Keeping, in store: Store
    ) throws -> Double {
        let data = Content(number: number, byteCount: byteCount).data
        return try WallClock.seconds {
            try store.write { context in
                switch keeping {
                case .property: try PlainPage(id: number, image: data).save(to: &context)
                case .asset:
                    let image = try Asset<Data>(data, in: store)
                    try AssetPage(id: number, image: image).save(to: &context)
                }
            }
        }
    }

    private func read(
        _ number: Int, _ byteCount: Int, _ keeping: Keeping, in store: Store
    ) throws -> Double {
        var count = 0
        let seconds = try WallClock.seconds {
            switch keeping {
            case .property:
                count = try PlainPage.require(number, in: store.context).image.count
            case .asset:
                count =
                    try AssetPage.require(number, in: store.context).image?.data(in: store).count
                    ?? 0
            }
        }
        precondition(count == byteCount, "what was saved is read")
        return seconds
    }
}
