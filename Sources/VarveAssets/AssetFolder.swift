package import VarveEvents
package import VarveLog

/// The assets of a store: files in the folder `assets/` beside its log, each named after its content.
///
/// A file gets its name when its content is synced, and a transaction names an asset when the name is safe, too. So
/// after a crash each asset that the log names is there, and what is there besides is removed by the next compaction.
package final class AssetFolder: Sendable {
    private struct State: Sendable {
        /// Assets that live values name and no transaction may name yet, with the number of values.
        var holds: [AssetDigest: Int] = [:]
        /// Folders whose names are safe from a power cut.
        var safeFolders: Set<String> = []
        /// Names of contents that are being written.
        var staged: Set<String> = []
        /// What transactions came to name since a collection began; nil while there is none.
        var admitted: Set<AssetDigest>?
    }

    let directory: any FileSystem
    private let store: any FileSystem
    private let environment: any LogEnvironment
    private let state = Lock(State())

    package init(of store: any FileSystem, environment: any LogEnvironment) {
        self.store = store
        self.environment = environment
        directory = store.subdirectory(StoreFileName.assets.text)
    }

    // MARK: Naming

    func folder(of digest: AssetDigest) -> any FileSystem {
        directory.subdirectory(AssetFileName.folder(of: digest))
    }

    /// A name for a content that is to be written, until ``endStaging(_:)``.
    func beginStaging() -> String {
        let name = AssetFileName.staged(environment.randomSalt())
        state.withLock { _ = $0.staged.insert(name) }
        return name
    }

    func endStaging(_ name: String) { state.withLock { _ = $0.staged.remove(name) } }

    func isStaging(_ name: String) -> Bool { state.withLock { $0.staged.contains(name) } }

    /// Makes the folder `assets/`, durably.
    func prepare() throws(FileSystemError) {
        try prepare("") { () throws(FileSystemError) in
            try directory.createDirectory()
            try store.synchronizeDirectory()
        }
    }

    /// Makes the folder of a digest, durably.
    func prepareFolder(of digest: AssetDigest) throws(FileSystemError) {
        try prepare()
        try prepare(AssetFileName.folder(of: digest)) { () throws(FileSystemError) in
            try folder(of: digest).createDirectory()
            try directory.synchronizeDirectory()
        }
    }

    /// Another thread may have made it and not synced yet: it counts when this process has.
    private func prepare(
        _ name: String, _ make: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        guard !state.withLock({ $0.safeFolders.contains(name) }) else { return }
        try make()
        state.withLock { _ = $0.safeFolders.insert(name) }
    }

    /// Forgets which folders exist: another program may have removed one. Each is made again before its next use, where it is
    /// not there.
    func forgetFolders() { state.withLock { $0.safeFolders = [] } }

    // MARK: Keeping

    /// Keeps the file of an asset, there or still to come, as long as the result lives.
    package func hold(_ digest: AssetDigest) -> AssetHold {
        state.withLock { $0.holds[digest, default: 0] += 1 }
        return AssetHold { [weak self] in self?.release(digest) }
    }

    private func release(_ digest: AssetDigest) {
        state.withLock { state in
            let count = state.holds[digest, default: 0]
            state.holds[digest] = count > 1 ? count - 1 : nil
        }
    }

    /// Notes that a transaction is about to name an asset. Returns what is wrong with the file of one that a row is to
    /// have, as far as a look at its length tells.
    package func admit(_ asset: AssetReference, isNew: Bool) -> AssetProblem? {
        state.withLock { _ = $0.admitted?.insert(asset.digest) }
        return isNew ? AssetFile.problem(of: asset, in: self) : nil
    }

    // MARK: Collecting

    /// From here on it is noted which assets transactions name.
    package func beginCollection() { state.withLock { $0.admitted = [] } }

    package func endCollection() { state.withLock { $0.admitted = nil } }

    /// Removes the file of an asset, unless a value in this process, a transaction since the collection began, or a
    /// reader of any process needs it. Nil where it stays, or is not there.
    ///
    /// All of it holds the lock that ``hold(_:)`` takes. So content that is kept again either is held before the look
    /// at the holds, or finds the file gone and is written anew.
    func removeUnlessNeeded(_ digest: AssetDigest) throws(FileSystemError) -> RemovedFile? {
        try state.withLock { state throws(FileSystemError) -> RemovedFile? in
            guard state.holds[digest] == nil, state.admitted?.contains(digest) != true else {
                return nil
            }
            do throws(FileSystemError) {
                return try Self.removeUnlocked(
                    AssetFileName.name(of: digest), in: folder(of: digest))
            } catch {
                // What is no plain file was put there by another program, and is not opened by this one either.
                guard error.isNotFound || error.reason == .notAPlainFile else {
                    throw error.naming(AssetFileName.path(of: digest))
                }
                return nil
            }
        }
    }

    /// Nil where a reader has the file open, perhaps by a URL.
    private static func removeUnlocked(
        _ name: String, in folder: any FileSystem
    ) throws(FileSystemError) -> RemovedFile? {
        let file = try folder.open(name, .read)
        guard try file.lock(.exclusive) else { return nil }
        let length = try file.length().rawValue
        try folder.remove(name)
        return RemovedFile(file, byteCount: length)
    }
}
