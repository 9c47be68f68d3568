internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// Finds the assets of transactions by the definitions that are in force, which seldom change.
struct AssetAdmission {
    private var walk = AssetWalk(Catalog())
    private var revisionCount = 0
    /// How many bytes of assets transactions have replaced or deleted since the last compaction began.
    var replacedBytes: UInt64 = 0

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
        var replaced = ReplacedAssets()
        try core.encoder.withBytes { bytes in
            do throws(AssetWalkFailure<StoreError>) {
                try walk.forEachAsset(in: TransactionView(ofOwn: bytes)) {
                    mention throws(StoreError) in
                    try assets.admit(mention)
                    replaced.note(mention)
                }
            } catch {
                switch error {
                case .consumer(let error): throw error
                case .events(let error): preconditionFailure("what was just encoded: \(error)")
                }
            }
        }
        core.admission.replacedBytes &+= replaced.bytes
    }

    /// Whether a type of the log has assets.
    var hasAssets: Bool { inTurn { core in !AssetNames(core.head.catalog).isEmpty } }

    /// Counts the bytes of assets that the transactions behind the newest checkpoint have replaced or deleted, whichever
    /// process has logged them.
    ///
    /// No compaction may begin meanwhile.
    ///
    /// - Parameter isCancelled: called for each transaction; then `.compactionCancelled` is thrown.
    func countReplacedAssets(isCancelled: () -> Bool) throws {
        let (log, checkpoint, catalog, known) = try inTurn { core in
            let log = try core.openLog().log
            return (
                log.snapshot, log.manifest.checkpoints.first?.sequence ?? .none, core.head.catalog,
                core.admission.replacedBytes
            )
        }
        let names = AssetNames(catalog)
        guard !names.isEmpty else { return }
        let counted = try names.replacedBytes(in: log, behind: checkpoint, isCancelled: isCancelled)
        inTurn { core in
            guard case .open(let open) = core.access else { return }
            // What was logged since the look is counted already.
            core.admission.replacedBytes = counted &+ (core.admission.replacedBytes &- known)
            noteFigures(open, core)
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
