internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// Finds the assets of transactions by the definitions that are in force, which seldom change.
struct AssetAdmission {
    private var walk = AssetWalk(Catalog())
    private var revisionCount = 0
    /// How many bytes of assets transactions have replaced or deleted since the last compaction that succeeded began.
    private(set) var replacedBytes: UInt64 = 0
    /// How many of them when the running compaction began.
    private var bytesAtCompaction: UInt64 = 0

    mutating func note(replaced bytes: UInt64) { replacedBytes &+= bytes }

    /// Takes over what was counted, where `known` was known before that.
    mutating func note(counted bytes: UInt64, knowing known: UInt64) {
        // What was logged since the look is counted already.
        replacedBytes = bytes &+ (replacedBytes &- known)
    }

    mutating func beginCompaction() { bytesAtCompaction = replacedBytes }

    /// One that fails or is given up changes nothing: the next one has the same to do.
    mutating func finishCompaction() {
        replacedBytes &-= bytesAtCompaction
        bytesAtCompaction = 0
    }

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
        core.admission.note(replaced: replaced.bytes)
    }

    /// Whether a type of the log has assets.
    var hasAssets: Bool { inTurn { core in !AssetNames(core.head.catalog).isEmpty } }

    /// What counting the replaced assets reads, as it is now.
    func replacedAssetCount() throws -> ReplacedAssetCount {
        try inTurn { core in
            let log = try core.openLog().log
            return ReplacedAssetCount(
                log: log.snapshot, checkpoint: log.manifest.checkpoints.first?.sequence ?? .none,
                catalog: core.head.catalog, known: core.admission.replacedBytes)
        }
    }

    /// Takes over what was counted. No compaction has begun meanwhile.
    func take(_ bytes: UInt64, of count: ReplacedAssetCount) {
        inTurn { core in
            guard case .open(let open) = core.access else { return }
            core.admission.note(counted: bytes, knowing: count.known)
            noteFigures(open, core)
        }
    }
}

/// Counts the bytes of assets that the transactions behind the newest checkpoint have replaced or deleted, whichever
/// process has logged them. It does not keep the writer, so that a store which goes meanwhile gives its lock back.
struct ReplacedAssetCount: Sendable {
    fileprivate let log: LogSnapshot
    fileprivate let checkpoint: LogSequence
    fileprivate let catalog: Catalog
    /// How many were counted before.
    fileprivate let known: UInt64

    /// - Parameter isCancelled: called for each transaction; then `.compactionCancelled` is thrown.
    func bytes(isCancelled: () -> Bool) throws -> UInt64 {
        try AssetNames(catalog).replacedBytes(
            in: log, behind: checkpoint, isCancelled: isCancelled)
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
