package import VarveEvents
package import VarveLog

/// A new asset on the way to its name: a file whose content is written, and hashed on the way.
///
/// What does not become an asset is removed with the object.
// Unchecked: it belongs to one thread at a time, which hands it over by a queue.
package final class StagedAsset: @unchecked Sendable {
    private let folder: AssetFolder
    private let file: any StoreFile
    private let name: String
    private var hasher: DigestHasher? = DigestHasher()
    private var byteCount: UInt64 = 0
    private var isPlaced = false

    /// How many bytes are moved at a time.
    package static let blockBytes = 1 << 18

    package init(in folder: AssetFolder) throws(FileSystemError) {
        self.folder = folder
        try folder.prepare()
        name = folder.beginStaging()
        let path = AssetFileName.root + "/" + name
        do throws(FileSystemError) {
            file = try folder.directory.open(name, .createExclusive)
            // Errors then say where in the store it is.
            file.name = path
        } catch {
            folder.endStaging(name)
            folder.forgetFolders()
            throw error.naming(path)
        }
    }

    deinit {
        // Nothing depends on it: the next compaction removes what stays.
        if !isPlaced { try? folder.directory.remove(name) }
        folder.endStaging(name)
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        try file.writeAll(bytes, at: FrameOffset(byteCount), name: file.name)
        hasher?.update(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// Takes the content of a file, as a clone where the file system makes one.
    func take(_ source: SourceFile) throws(FileSystemError) {
        let isCloned = source.clone(to: file)
        let buffer = ByteBuffer(capacity: Self.blockBytes)
        while true {
            let block = buffer.prefix(Self.blockBytes)
            let offset = FrameOffset(byteCount)
            // A clone is what was cloned, whatever becomes of its source.
            let count =
                try isCloned
                ? file.read(into: block, at: offset) : source.read(into: block, at: offset)
            guard count > 0 else { return }
            let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
            if isCloned {
                hasher?.update(bytes)
                byteCount += UInt64(count)
            } else {
                try append(bytes)
            }
        }
    }

    /// Makes the content safe and gives it its name, unless there is an intact file of that name. Once.
    package func place() throws(FileSystemError) -> KeptAsset {
        let kept = try place(as: takeDigest())
        try folder.folder(of: kept.digest).synchronizeDirectory()
        return kept
    }

    /// As ``place()``, if the content has a digest; nil where it has another one. Once.
    ///
    /// The name is not safe before the caller has synced the folder, which it may do once for many.
    func placeUnsynced(if wanted: AssetDigest) throws(FileSystemError) -> KeptAsset? {
        let digest = takeDigest()
        return digest == wanted ? try place(as: digest) : nil
    }

    private func takeDigest() -> AssetDigest {
        guard let hasher = hasher.take() else {
            preconditionFailure("an asset is placed once")
        }
        return hasher.finish()
    }

    private func place(as digest: AssetDigest) throws(FileSystemError) -> KeptAsset {
        let hold = folder.hold(digest)
        try file.synchronize()
        try file.close()
        try folder.prepareFolder(of: digest)
        if try !AssetFile.isIntact(digest, byteCount: byteCount, in: folder) {
            try giveName(digest)
        }
        return KeptAsset(digest: digest, byteCount: byteCount, hold: hold)
    }

    private func giveName(_ digest: AssetDigest) throws(FileSystemError) {
        do throws(FileSystemError) {
            try folder.directory.rename(
                name, to: AssetFileName.name(of: digest),
                inSubdirectory: AssetFileName.folder(of: digest))
        } catch {
            folder.forgetFolders()
            throw error.naming("\(file.name) to \(AssetFileName.path(of: digest))")
        }
        isPlaced = true
    }
}

/// A content whose file and name are safe.
package struct KeptAsset: Sendable {
    package let digest: AssetDigest
    package let byteCount: UInt64
    package let hold: AssetHold
}
