package import VarveEvents
package import VarveLog

/// The copy of a store's assets into another store, each compared with its digest on the way.
package struct AssetCopy: Hashable, Sendable {
    package private(set) var assets = 0
    package private(set) var bytes: UInt64 = 0
    /// The files that are not what their names say, and were not copied.
    package private(set) var damaged: [AssetDigest] = []

    /// What was to be copied, and is not there.
    package private(set) var missing: [AssetDigest] = []

    /// Copies assets of `source`. Each is safe from a power cut when this returns.
    ///
    /// - Parameters:
    ///   - digests: what is copied; nil for all, also those that no transaction names yet.
    ///   - isCancelled: asked from time to time; then `.backupCancelled` is thrown.
    package init(
        _ digests: [AssetDigest]? = nil, from source: AssetFolder, to target: AssetFolder,
        isCancelled: () -> Bool = { false }
    ) throws(LogError) {
        for digest in try digests ?? source.files() {
            try copy(digest, from: source, to: target, isCancelled)
        }
    }

    private mutating func copy(
        _ digest: AssetDigest, from source: AssetFolder, to target: AssetFolder,
        _ isCancelled: () -> Bool
    ) throws(LogError) {
        guard let file = try open(digest, in: source) else { return }
        let kept: KeptAsset?
        do throws(FileSystemError) {
            let staged = try StagedAsset(in: target)
            let buffer = ByteBuffer(capacity: StagedAsset.blockBytes)
            var offset: UInt64 = 0
            while true {
                let block = buffer.prefix(StagedAsset.blockBytes)
                let count = try file.read(into: block, at: FrameOffset(offset))
                guard count > 0, !isCancelled() else { break }
                try staged.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
                offset += UInt64(count)
            }
            kept = try staged.place(if: digest)
        } catch {
            throw .fileSystem(error)
        }
        if isCancelled() { throw .backupCancelled }
        guard let kept else { return damaged.append(digest) }
        assets += 1
        bytes += kept.byteCount
    }

    /// Nil where a compaction of another process has removed it meanwhile, or it is no plain file: then it counts as
    /// missing or damaged.
    private mutating func open(
        _ digest: AssetDigest, in source: AssetFolder
    ) throws(LogError) -> (any StoreFile)? {
        do throws(FileSystemError) {
            return try source.folder(of: digest).open(AssetFileName.name(of: digest), .read)
        } catch {
            if error.isNotFound {
                missing.append(digest)
            } else if error.reason == .notAPlainFile {
                damaged.append(digest)
            } else {
                throw .fileSystem(error)
            }
            return nil
        }
    }
}
