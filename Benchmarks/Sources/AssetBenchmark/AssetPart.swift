import BenchmarkSupport
import Foundation

/// A part of the benchmark, which is a process.
enum AssetPart: String, CaseIterable {
    case text, textAsset
    case photoFill, photos, photoAssetFill, photoAssets
    case large, small
    case threshold
    case kills

    /// What needs the stores of this part.
    var follower: AssetPart? {
        switch self {
        case .photoFill: .photos
        case .photoAssetFill: .photoAssets
        default: nil
        }
    }

    /// How much memory its process may take at most; nil where contents are values in memory.
    var megabytesMax: Double? {
        switch self {
        case .textAsset, .photoAssetFill, .photoAssets, .large, .small, .kills: 64
        case .text, .photoFill, .photos, .threshold: nil
        }
    }

    func title(_ size: AssetSize) -> String {
        let (text, photo) = (Self.bytes(size.textBytes), Self.bytes(size.photoBytes))
        return switch self {
        case .text: "a text of \(text) as a property"
        case .textAsset: "a text of \(text) as an asset"
        case .photoFill: "\(size.photoCount) photos of \(photo) as properties: written"
        case .photos: "\(size.photoCount) photos of \(photo) as properties: opened"
        case .photoAssetFill: "\(size.photoCount) photos of \(photo) as assets: written"
        case .photoAssets: "\(size.photoCount) photos of \(photo) as assets: opened"
        case .large: "\(size.largeCount) assets of \(Self.bytes(size.largeBytes))"
        case .small: "\(size.smallCount) assets of \(Self.bytes(size.smallBytes))"
        case .threshold: "a content as a property and as an asset: a synced save, and reading it"
        case .kills:
            "kills of a process that writes \(size.largeCount) assets of"
                + " \(Self.bytes(size.largeBytes)) and \(size.smallCount) of"
                + " \(Self.bytes(size.smallBytes))"
        }
    }

    static func bytes(_ count: Int) -> String {
        count < 1_000_000 ? "\(count / 1_000) KB" : Spread.text(Double(count) / 1e6) + " MB"
    }

    func run(_ size: AssetSize, seed: UInt64, in directory: URL) async throws {
        switch self {
        case .text:
            try LongText(size.textBytes, in: directory).measure(.property)
        case .textAsset:
            try LongText(size.textBytes, in: directory).measure(.asset)
        case .photoFill:
            try Photos(size, in: directory, .property).fill()
        case .photoAssetFill:
            try Photos(size, in: directory, .asset).fill()
        case .photos:
            try Photos(size, in: directory, .property).open()
        case .photoAssets:
            try Photos(size, in: directory, .asset).open()
        case .large:
            try await ManyAssets(
                count: size.largeCount, byteCount: size.largeBytes, batch: 1, in: directory
            ).measure()
        case .small:
            try await ManyAssets(
                count: size.smallCount, byteCount: size.smallBytes, batch: 20, in: directory
            ).measure()
        case .threshold:
            try Threshold(size.thresholdCount, in: directory).measure()
        case .kills:
            var kills = Kills(size, seed: seed, in: directory)
            try kills.run(megabytesMax: megabytesMax ?? .infinity)
        }
    }
}
