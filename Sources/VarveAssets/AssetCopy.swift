package import VarveEvents
package import VarveLog

/// The copy of a store's assets into another store, each compared with its digest on the way.
package struct AssetCopy: Hashable, Sendable {
    package private(set) var assets = 0
    package private(set) var bytes: UInt64 = 0
    /// The files that are not what their names say, and were not copied.
    package private(set) var damaged: [AssetDigest] = []

    /// Copies all assets of `source`, also those that no transaction names yet. Each is safe from a power cut when this
    /// returns.
    ///
    /// - Parameter isCancelled: asked from time to time; then `.backupCancelled` is thrown.
    package init(
        from source: AssetFolder, to target: AssetFolder, isCancelled: () -> Bool = { false }
    ) throws(LogError) {
        for digest in try source.files() {
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
    /// damaged.
    private mutating func open(
        _ digest: AssetDigest, in source: AssetFolder
    ) throws(LogError) -> (any StoreFile)? {
        do throws(FileSystemError) {
            return try source.folder(of: digest).open(AssetFileName.name(of: digest), .read)
        } catch {
            if error.reason == .notAPlainFile { damaged.append(digest) }
            guard error.isNotFound || error.reason == .notAPlainFile else {
                throw .fileSystem(error)
            }
            return nil
        }
    }
}
