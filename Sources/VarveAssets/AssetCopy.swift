package import VarveEvents
package import VarveLog

/// The copy of a store's assets into another store, each compared with its digest on the way.
///
/// What cannot be read of the source counts as damaged, as it does where it is not what its name says. What the target
/// refuses is an error.
package struct AssetCopy: Hashable, Sendable {
    /// A file, or a folder of files, that was not copied.
    package struct Damage: Hashable, Sendable {
        /// The place inside the store.
        package let path: String
        package let reason: String
    }

    package private(set) var assets = 0
    package private(set) var bytes: UInt64 = 0
    package private(set) var damaged: [Damage] = []
    /// What was to be copied, and is not there.
    package private(set) var missing: [AssetDigest] = []

    /// Copies assets of `source`. Each is safe from a power cut when this returns.
    ///
    /// - Parameters:
    ///   - digests: what is copied; nil for all, also those that no transaction names yet.
    ///   - isCancelled: called for each block; then `.backupCancelled` is thrown.
    package init(
        _ digests: [AssetDigest]? = nil, from source: AssetFolder, to target: AssetFolder,
        isCancelled: () -> Bool = { false }
    ) throws(LogError) {
        let chosen = if let digests { digests } else { all(of: source) }
        var folders: [String: AssetDigest] = [:]
        for digest in chosen where try copy(digest, from: source, to: target, isCancelled) {
            folders[AssetFileName.folder(of: digest)] = digest
        }
        try LogError.wrapping { () throws(FileSystemError) in
            for digest in folders.values {
                try target.folder(of: digest).synchronizeDirectory()
            }
        }
    }

    private mutating func all(of source: AssetFolder) -> [AssetDigest] {
        var found: [AssetDigest] = []
        source.forEachFile {
            found.append($0)
        } unreadable: { path, error in
            damaged.append(Damage(path: path, reason: "\(error)"))
        }
        return found
    }

    /// Whether the asset is there now. Its name is not safe yet.
    private mutating func copy(
        _ digest: AssetDigest, from source: AssetFolder, to target: AssetFolder,
        _ isCancelled: () -> Bool
    ) throws(LogError) -> Bool {
        guard let file = open(digest, in: source) else { return false }
        let staged = try LogError.wrapping { () throws(FileSystemError) in
            try StagedAsset(in: target)
        }
        let buffer = ByteBuffer(capacity: StagedAsset.blockBytes)
        var offset: UInt64 = 0
        while true {
            if isCancelled() { throw .backupCancelled }
            let block = buffer.prefix(StagedAsset.blockBytes)
            let count: Int
            do throws(FileSystemError) {
                count = try file.read(into: block, at: FrameOffset(offset))
            } catch {
                note(digest, "\(error)")
                return false
            }
            guard count > 0 else { break }
            try LogError.wrapping { () throws(FileSystemError) in
                try staged.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
            offset += UInt64(count)
        }
        let kept = try LogError.wrapping { () throws(FileSystemError) in
            try staged.placeUnsynced(if: digest)
        }
        guard let kept else {
            note(digest, "its content is not what its name says")
            return false
        }
        assets += 1
        bytes += kept.byteCount
        return true
    }

    /// Nil where it is missing, as a compaction of another process may have removed it meanwhile, or damaged.
    private mutating func open(
        _ digest: AssetDigest, in source: AssetFolder
    ) -> (any StoreFile)? {
        do throws(FileSystemError) {
            return try source.folder(of: digest).open(AssetFileName.name(of: digest), .read)
        } catch {
            if error.isNotFound { missing.append(digest) } else { note(digest, "\(error)") }
            return nil
        }
    }

    private mutating func note(_ digest: AssetDigest, _ reason: String) {
        damaged.append(Damage(path: AssetFileName.path(of: digest), reason: reason))
    }
}
