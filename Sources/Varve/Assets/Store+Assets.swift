internal import VarveAssets
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

extension Store {
    var assets: AssetFolder { opener.assets }

    /// Where new assets are kept.
    func writableAssets() throws(StoreError) -> AssetFolder {
        _ = try writing()
        return assets
    }

    /// The error about an asset of which something is wrong. It looks for who has it, which takes time in proportion
    /// to the entities of types with assets.
    func failure(of asset: AssetReference, _ problem: AssetProblem) -> StoreError {
        failure(of: asset, AssetFailure.Reason(problem))
    }

    func failure(of asset: AssetReference, _ reason: AssetFailure.Reason) -> StoreError {
        .asset(
            AssetFailure(asset, reason, at: published.current.firstPlace(of: asset.digest)))
    }
}

extension AssetFailure {
    init(_ asset: AssetReference, _ reason: Reason, at place: AssetNames.Place?) {
        self.init(
            type: place?.type, id: place?.id, property: place?.property, digest: asset.digest,
            file: AssetFileName.path(of: asset.digest), reason: reason)
    }
}

extension AssetFailure.Reason {
    init(_ problem: AssetProblem) {
        switch problem {
        case .missing: self = .missing
        case .resized(let found): self = .resized(found: found)
        case .changed(let found): self = .changed(found: found)
        case .unreadable(let error): self = .unreadable(error)
        }
    }
}

extension StoreState {
    /// The first entity that has an asset of a digest. What cannot be encoded is passed over: this is for messages.
    fileprivate func firstPlace(of digest: AssetDigest) -> AssetNames.Place? {
        let rows = ReversedState(self)
        for (position, definition) in schema.definitions.enumerated() {
            guard let definition, definition.fields.contains(where: { $0.type.holdsAssets }) else {
                continue
            }
            let table = context.tables.tables[position]
            guard table.descriptor.tombstoneOwner == nil else { continue }
            if let place = rows.firstPlace(of: digest, definition, position, table.slotCount) {
                return place
            }
        }
        return nil
    }
}

extension ReversedState {
    fileprivate func firstPlace(
        of digest: AssetDigest, _ definition: TypeDefinition, _ table: Int, _ slotCount: Int
    ) -> AssetNames.Place? {
        let walk = AssetRows(definition)
        for slot in 0..<UInt32(truncatingIfNeeded: slotCount) {
            let place = EntityPlace(table: table, slot: slot)
            guard presence(of: place).hasRow else { continue }
            var row = ByteWriter()
            guard (try? writeRowOrTombstone(of: place, into: &row)) != nil,
                let entity = try? encoded(place)
            else { continue }
            var found: AssetNames.Place?
            row.withBytes { row in
                entity.id.withUnsafeBytes { id in
                    try? walk.forEachAsset(inRow: row, of: id, isKept: true) { mention in
                        guard found == nil, mention.asset.digest == digest else { return }
                        found = AssetNames.Place(mention)
                    }
                }
            }
            if let found { return found }
        }
        return nil
    }
}
