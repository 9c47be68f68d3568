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
        damagedAssets = copy.damaged.map { AssetFileName.path(of: $0) }
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
        for digest in copy.damaged {
            addDamage(
                toWhole: AssetFileName.path(of: digest),
                reason: "its content is not what its name says")
        }
    }
}
