package import VarveEvents

/// What a transaction takes from entities and gives to none: a compaction may remove its files.
package struct ReplacedAssets {
    private var taken: [AssetDigest: UInt64] = [:]
    private var kept: Set<AssetDigest> = []

    package init() {}

    package mutating func note(_ mention: AssetMention) {
        if mention.isKept {
            kept.insert(mention.asset.digest)
        } else {
            taken[mention.asset.digest] = mention.asset.byteCount
        }
    }

    package var bytes: UInt64 {
        taken.reduce(0) { sum, asset in kept.contains(asset.key) ? sum : sum &+ asset.value }
    }
}
