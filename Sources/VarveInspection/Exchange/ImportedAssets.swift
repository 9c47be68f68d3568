internal import VarveAssets
internal import VarveLog
internal import VarveTables

/// The assets that an import names. Their files are in the store, or are copied from another one, which an export was made
/// of, when all lines are read and none is refused.
final class ImportedAssets {
    /// Why an asset cannot be had.
    struct Refusal {
        let reason: String
        /// The first line that names the asset; nil of the default of a property.
        let origin: ImportOrigin?
    }

    private let folder: AssetFolder
    private let source: (path: String, folder: AssetFolder)?
    /// What the store has.
    private var present: Set<AssetReference> = []
    /// What is to be copied, in the order of the lines.
    private var wanted: [(asset: AssetReference, origin: ImportOrigin?)] = []
    private var isWanted: Set<AssetReference> = []

    /// - Parameters:
    ///   - store: what is imported into. No other program writes to it meanwhile.
    ///   - source: the path of a store that has the files which this one lacks.
    init(of store: any FileSystem, source: String?) {
        let environment = SystemEnvironment()
        folder = AssetFolder(of: store, environment: environment)
        self.source = source.map { path in
            (path, AssetFolder(of: POSIXFileSystem(path), environment: environment))
        }
    }

    /// Notes the assets in a value. Returns why it cannot be stored, where the store has not all of them, and none is to
    /// be had.
    func admit(
        _ value: UnsafeRawBufferPointer, _ type: StoredType, at origin: ImportOrigin?
    ) throws(CodecError) -> String? {
        var found: [AssetReference] = []
        var reader = ByteReader(value)
        try type.forEachAsset(from: &reader) { found.append($0) }
        for asset in found where !present.contains(asset) && !isWanted.contains(asset) {
            if let reason = admit(asset, at: origin) { return reason }
        }
        return nil
    }

    private func admit(_ asset: AssetReference, at origin: ImportOrigin?) -> String? {
        guard let problem = folder.admit(asset, isNew: true) else {
            present.insert(asset)
            return nil
        }
        let file = "the file of asset \(asset.digest)"
        guard let source else {
            return "\(file) \(problem.reason): name a store that has it with --assets=STORE"
        }
        do throws(AssetProblem) {
            _ = try AssetFile(asset, in: source.folder)
        } catch {
            return "\(file) \(error.reason) in \(source.path)"
        }
        isWanted.insert(asset)
        wanted.append((asset, origin))
        return nil
    }

    // MARK: The end

    /// Copies what the store lacks. Returns what has other content than its digest says, or is not there any more.
    func copy() throws(LogError) -> [Refusal] {
        guard let source, !wanted.isEmpty else { return [] }
        let copy = try AssetCopy(wanted.map(\.asset.digest), from: source.folder, to: folder)
        var reasons = Dictionary(
            copy.damaged.map { ($0.path, $0.reason) }, uniquingKeysWith: { first, _ in first })
        for digest in copy.missing { reasons[AssetFileName.path(of: digest)] = "it is missing" }
        return wanted.compactMap { asset, origin in
            reasons[AssetFileName.path(of: asset.digest)].map {
                refusal(of: asset, at: origin, $0)
            }
        }
    }

    /// Reads what would be copied. Returns what is not as its digest says.
    func verify() -> [Refusal] {
        guard let source else { return [] }
        return wanted.compactMap { asset, origin in
            do throws(AssetProblem) {
                try AssetFile(asset, in: source.folder).verify()
                return nil
            } catch {
                return refusal(of: asset, at: origin, "it \(error.reason)")
            }
        }
    }

    private func refusal(
        of asset: AssetReference, at origin: ImportOrigin?, _ reason: String
    ) -> Refusal {
        let path = source?.path ?? ""
        return Refusal(
            reason: "the file of asset \(asset.digest) in \(path) cannot be copied: \(reason)",
            origin: origin)
    }
}
