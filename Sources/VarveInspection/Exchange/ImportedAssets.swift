internal import VarveAssets
internal import VarveLog
internal import VarveTables

/// The assets that the lines of an import name. Their files are in the store, or are copied from another one, which an export
/// was made of.
final class ImportedAssets {
    private let folder: AssetFolder
    private let origin: (path: String, folder: AssetFolder)?
    private let isDryRun: Bool
    private var admitted: Set<AssetReference> = []
    /// No compaction removes what was copied before the transaction that names it is written.
    private var kept: [KeptAsset] = []

    /// - Parameters:
    ///   - store: what is imported into.
    ///   - origin: the path of a store that has the files which this one lacks.
    ///   - isDryRun: whether nothing is copied.
    init(of store: any FileSystem, origin: String?, isDryRun: Bool) {
        let environment = SystemEnvironment()
        folder = AssetFolder(of: store, environment: environment)
        self.origin = origin.map { path in
            (path, AssetFolder(of: POSIXFileSystem(path), environment: environment))
        }
        self.isDryRun = isDryRun
    }

    /// Sees to it that the store has the files of the assets in a value.
    ///
    /// - Parameter offset: where the line has the value.
    func admit(
        _ value: ArraySlice<UInt8>, _ type: StoredType, _ offset: Int
    ) throws(ExchangeProblem) {
        var found: [AssetReference] = []
        do throws(CodecError) {
            try [UInt8](value).withReader { reader throws(CodecError) in
                try type.forEachAsset(from: &reader) { found.append($0) }
            }
        } catch {
            throw ExchangeProblem("\(error)", at: offset)
        }
        for asset in found where !admitted.contains(asset) {
            if let reason = admit(asset) { throw ExchangeProblem(reason, at: offset) }
            admitted.insert(asset)
        }
    }

    /// Why the store has not the file of an asset; nil where it has.
    private func admit(_ asset: AssetReference) -> String? {
        guard let problem = folder.admit(asset, isNew: true) else { return nil }
        let file = "the file of asset \(asset.digest)"
        guard let origin else {
            return "\(file) \(problem.reason): name a store that has it with --assets=STORE"
        }
        do throws(AssetProblem) {
            _ = try AssetFile(asset, in: origin.folder)
        } catch {
            return "\(file) \(error.reason) in \(origin.path)"
        }
        if isDryRun { return nil }
        do throws(LogError) {
            let path = origin.path + "/" + AssetFileName.path(of: asset.digest)
            let copy = try folder.keep(fileAt: path, .copying)
            guard copy.digest == asset.digest else {
                let problem = AssetProblem.changed(found: copy.digest)
                return "\(file) \(problem.reason) in \(origin.path)"
            }
            kept.append(copy)
            return nil
        } catch {
            return "\(file) cannot be copied: \(error)"
        }
    }
}
