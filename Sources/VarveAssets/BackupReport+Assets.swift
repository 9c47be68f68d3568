package import VarveEvents
package import VarveLog

extension BackupReport {
    /// Copies the assets of the store that was backed up, and notes them.
    package mutating func addAssets(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(), isCancelled: () -> Bool = { false }
    ) throws(LogError) {
        let copy = try AssetCopy(
            from: AssetFolder(of: source, environment: environment),
            to: AssetFolder(of: target, environment: environment), isCancelled: isCancelled)
        assets = copy.assets
        assetBytes = ByteCount(copy.bytes)
        damagedAssets = copy.damaged.map(\.path)
    }

    /// Looks for the files of all assets that the copy names. A compaction of another process may have removed some
    /// behind the copy of the log: what lacks is looked for once more, and noted where it is not there.
    ///
    /// - Parameters:
    ///   - copied: the copy's log, with all assets that were there.
    ///   - catalog: its definitions.
    package mutating func completeAssets(
        of copied: ScannedLog, _ catalog: Catalog, from source: any FileSystem,
        to target: any FileSystem, environment: any LogEnvironment = SystemEnvironment()
    ) throws(LogError) {
        let folder = AssetFolder(of: target, environment: environment)
        let lacking = try Self.lacking(copied, catalog, in: folder)
        guard !lacking.isEmpty else { return }
        let copy = try AssetCopy(
            lacking, from: AssetFolder(of: source, environment: environment), to: folder)
        assets += copy.assets
        assetBytes = ByteCount(assetBytes.rawValue + copy.bytes)
        let known = Set(damagedAssets)
        let left = copy.missing.map { AssetFileName.path(of: $0) } + copy.damaged.map(\.path)
        damagedAssets += left.filter { !known.contains($0) }
    }

    private static func lacking(
        _ copied: ScannedLog, _ catalog: Catalog, in folder: AssetFolder
    ) throws(LogError) -> [AssetDigest] {
        let checkpoint = try copied.manifest.checkpoints.first.map { reference throws(LogError) in
            try copied.open(reference)
        }
        do throws(AssetNames.Failure) {
            let check = try AssetCheck(
                AssetNames(catalog), in: checkpoint, copied.snapshot, files: folder,
                isThorough: false)
            return check.findings.filter { $0.problem == .missing }.map(\.place.asset.digest)
        } catch {
            switch error {
            case .log(let error): throw error
            // The original has the same, which a verification tells: a copy of it is one all the same.
            case .transaction: return []
            }
        }
    }
}

extension SalvageReport {
    /// Brings the intact assets of the damaged store over, and notes them and the damaged ones.
    package mutating func addAssets(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment()
    ) throws(LogError) {
        let copy = try AssetCopy(
            from: AssetFolder(of: source, environment: environment),
            to: AssetFolder(of: target, environment: environment))
        assets = copy.assets
        assetBytes = ByteCount(copy.bytes)
        for damage in copy.damaged { addDamage(toWhole: damage.path, reason: damage.reason) }
    }
}
