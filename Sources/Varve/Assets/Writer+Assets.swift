internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// Finds the assets of transactions by the definitions that are in force, which seldom change.
struct AssetAdmission {
    private var walk = AssetWalk(Catalog())
    private var revisionCount = 0

    /// The walk for a catalog of one log, which only ever becomes longer.
    fileprivate mutating func walk(_ catalog: Catalog) -> AssetWalk {
        if revisionCount != catalog.revisionCount {
            walk = AssetWalk(catalog)
            revisionCount = catalog.revisionCount
        }
        return walk
    }
}

extension Writer {
    /// Refuses the encoded transaction where it names an asset whose file is not there. So a transaction that is logged
    /// names only what is safe.
    ///
    /// - Parameter definitions: those behind the transaction.
    func admitAssets(_ definitions: StoreDefinitions, _ core: Core) throws {
        // What a transaction defines counts when it is logged.
        let walk =
            definitions.isSame(as: core.sharedHead.definitions)
            ? core.admission.walk(definitions.catalog) : AssetWalk(definitions.catalog)
        guard !walk.isEmpty else { return }
        try core.encoder.withBytes { bytes in
            do throws(AssetWalkFailure<StoreError>) {
                try walk.forEachAsset(in: TransactionView(ofOwn: bytes)) {
                    mention throws(StoreError) in
                    try assets.admit(mention)
                }
            } catch {
                switch error {
                case .consumer(let error): throw error
                case .events(let error): preconditionFailure("what was just encoded: \(error)")
                }
            }
        }
    }
}

extension AssetFolder {
    fileprivate func admit(_ mention: AssetMention) throws(StoreError) {
        guard let problem = admit(mention.asset, isNew: mention.isKept) else { return }
        throw .asset(
            AssetFailure(
                mention.asset, AssetFailure.Reason(problem), at: AssetNames.Place(mention)))
    }
}
