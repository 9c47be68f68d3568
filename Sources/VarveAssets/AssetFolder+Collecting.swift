package import VarveEvents
package import VarveLog

/// What a compaction removed of a store's assets.
package struct CollectedAssets: Sendable {
    package var files = 0
    package var bytes: UInt64 = 0
    /// Files that were removed and are still open.
    private var open: [RemovedFile] = []

    package init() {}

    mutating func note(_ removed: RemovedFile) {
        files += 1
        bytes += removed.byteCount
        open.append(removed)
    }

    /// Closes what was removed, which frees its blocks. Not inside of a lock.
    package mutating func release() { open = [] }
}

/// A file without a name, and still open: the system frees its blocks when it closes, which may take long.
// Unchecked: nothing reads the file any more.
final class RemovedFile: @unchecked Sendable {
    let byteCount: UInt64
    private let file: any StoreFile

    init(_ file: any StoreFile, byteCount: UInt64) {
        self.file = file
        self.byteCount = byteCount
    }
}

extension AssetFolder {
    /// Calls `body` with each file that has the name of an asset. What has the name of a folder of files and is none
    /// was put there by another program, and holds no assets.
    ///
    /// - Parameter unreadable: called with the place of each folder that cannot be listed, also of `assets` itself where
    ///   that is no directory.
    func forEachFile(
        _ body: (AssetDigest) -> Void, unreadable: (_ path: String, FileSystemError) -> Void
    ) {
        func names(
            in folder: any FileSystem, _ path: String, mayBeAFile: Bool
        ) -> [String] {
            do throws(FileSystemError) {
                return try folder.list() ?? []
            } catch {
                if !(mayBeAFile && error.isNotADirectory) { unreadable(path, error) }
                return []
            }
        }
        let root = AssetFileName.root
        for folder in names(in: directory, root, mayBeAFile: false)
        where AssetFileName.isFolder(folder) {
            let path = root + "/" + folder
            for name in names(in: directory.subdirectory(folder), path, mayBeAFile: true) {
                if let digest = AssetFileName.digest(folder: folder, name: name) { body(digest) }
            }
        }
    }

    /// Removes contents that did not get their names before a crash.
    package func removeStaged(countingIn collected: inout CollectedAssets) throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            for name in try directory.list() ?? [] where AssetFileName.isStaged(name) {
                guard !isStaging(name), let length = try removeStaged(name) else { continue }
                collected.bytes += length
                collected.files += 1
            }
        }
    }

    /// Nil where it got its name meanwhile, or is no file that this program has made.
    private func removeStaged(_ name: String) throws(FileSystemError) -> UInt64? {
        do throws(FileSystemError) {
            let length = try directory.open(name, .read).length().rawValue
            try directory.remove(name)
            return length
        } catch {
            guard error.isNotFound || error.reason == .notAPlainFile else { throw error }
            return nil
        }
    }

    /// The files that have the names of assets.
    func files() throws(LogError) -> [AssetDigest] {
        var found: [AssetDigest] = []
        var failure: FileSystemError?
        forEachFile {
            found.append($0)
        } unreadable: { _, error in
            failure = failure ?? error
        }
        if let failure { throw .fileSystem(failure) }
        return found
    }

    /// The files that neither the state in a checkpoint nor the kept transactions of a log name.
    package func filesWithoutName(
        _ names: AssetNames, in checkpoint: CheckpointFile?, _ log: LogSnapshot,
        isCancelled: () -> Bool = { false }
    ) throws(AssetNames.Failure) -> Set<AssetDigest> {
        var rest: Set<AssetDigest>
        do throws(LogError) {
            rest = Set(try files())
            if !rest.isEmpty, let checkpoint {
                try names.forEach(in: checkpoint, isCancelled: isCancelled) {
                    rest.remove($0.asset.digest)
                }
            }
        } catch {
            throw .log(error)
        }
        guard !rest.isEmpty else { return [] }
        try names.forEach(in: log, from: log.oldestSequence, isCancelled: isCancelled) {
            rest.remove($0.asset.digest)
        }
        return rest
    }

    /// Removes what was left over, in a store that no other program writes.
    package func collect(
        _ names: AssetNames, in checkpoint: CheckpointFile?, _ log: LogSnapshot,
        countingIn collected: inout CollectedAssets
    ) throws(AssetNames.Failure) {
        let unnamed = try filesWithoutName(names, in: checkpoint, log)
        do throws(LogError) {
            try removeStaged(countingIn: &collected)
            for digest in unnamed {
                try remove(CollectionOfOne(digest), countingIn: &collected)
                collected.release()
            }
        } catch {
            throw .log(error)
        }
    }

    /// Removes files that neither a state nor a transaction names, but for those that a value in this process or a
    /// reader of any process holds: the next collection finds them again.
    ///
    /// While it runs no transaction may be under way. What it removes stays open until ``CollectedAssets/release()``.
    package func remove(
        _ digests: some Sequence<AssetDigest>, countingIn collected: inout CollectedAssets
    ) throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            for digest in digests {
                if let removed = try removeUnlessNeeded(digest) { collected.note(removed) }
            }
        }
    }
}
