package import VarveEvents
internal import VarveLog

/// The open file of an asset.
///
/// As long as it is open no compaction removes the file, whichever process runs it: the file is locked, and shared with
/// other readers.
// Unchecked: reading names its offset and changes nothing, and no one writes to it.
package final class AssetFile: @unchecked Sendable {
    package let asset: AssetReference
    private let file: any StoreFile
    private let name: String

    /// How often a reader tries, with a millisecond in between, where a compaction looks at the file just then.
    private static let attemptsMax = 100

    package init(_ asset: AssetReference, in folder: AssetFolder) throws(AssetProblem) {
        self.asset = asset
        name = AssetFileName.path(of: asset.digest)
        file = try Self.unreadable { () throws(FileSystemError) in
            try Self.openLocked(asset.digest, in: folder)
        }
        let length = try Self.unreadable { () throws(FileSystemError) in try file.length() }
        guard length.rawValue == asset.byteCount else {
            throw .resized(found: length.rawValue)
        }
    }

    /// A compaction may remove the file between its opening and the lock, which then keeps nothing: only a file that
    /// has its name behind the lock stays. Where the name has another file by then, or none, it is opened again.
    private static func openLocked(
        _ digest: AssetDigest, in folder: AssetFolder
    ) throws(FileSystemError) -> any StoreFile {
        let directory = folder.folder(of: digest)
        let name = AssetFileName.name(of: digest)
        for attempt in 1...attemptsMax {
            let file = try directory.open(name, .read)
            // Refused only by a compaction that is about to remove it, or finds that it must not.
            if try file.lock(.shared) {
                if try directory.identity(of: name) == file.identity() { return file }
            } else if attempt < attemptsMax {
                SystemEnvironment.pause()
            }
        }
        throw .heldElsewhere(AssetFileName.path(of: digest))
    }

    private static func unreadable<Result>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(AssetProblem) -> Result {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw error.isNotFound ? .missing : .unreadable(error)
        }
    }

    // MARK: Reading

    /// Reads a part of the content; fewer bytes at its end, none behind it.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(AssetProblem) -> Int {
        guard offset < asset.byteCount else { return 0 }
        let count = Int(min(UInt64(buffer.count), asset.byteCount - offset))
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        try Self.unreadable { () throws(FileSystemError) in
            try file.readExactly(into: part, at: FrameOffset(offset), name: name)
        }
        return count
    }

    /// Reads all of the content in blocks, and throws where it is not what its digest says.
    package func verify() throws(AssetProblem) {
        let (found, _) = try Self.unreadable { () throws(FileSystemError) in
            try Self.digest { buffer, offset throws(FileSystemError) in
                try file.read(into: buffer, at: offset)
            }
        }
        try check(found)
    }

    package func check(_ found: AssetDigest) throws(AssetProblem) {
        guard found == asset.digest else { throw .changed(found: found) }
    }

    // MARK: Looking

    /// What is wrong with an asset's file as far as a look at its length tells.
    static func problem(of asset: AssetReference, in folder: AssetFolder) -> AssetProblem? {
        do throws(AssetProblem) {
            _ = try AssetFile(asset, in: folder)
            return nil
        } catch {
            return error
        }
    }

    /// Whether a file of this content is there, all of it.
    static func isIntact(
        _ digest: AssetDigest, byteCount: UInt64, in folder: AssetFolder
    ) throws(FileSystemError) -> Bool {
        do throws(AssetProblem) {
            let reference = AssetReference(
                digest: digest, byteCount: byteCount, pathExtension: "", mediaType: "")
            try AssetFile(reference, in: folder).verify()
            return true
        } catch {
            // Whatever is there is replaced.
            return false
        }
    }

    /// The digest of what `read` gives, in blocks, and how much that is.
    static func digest<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer, FrameOffset) throws(Failure) -> Int
    ) throws(Failure) -> (AssetDigest, byteCount: UInt64) {
        var hasher = DigestHasher()
        var offset: UInt64 = 0
        let buffer = ByteBuffer(capacity: StagedAsset.blockBytes)
        while true {
            let block = buffer.prefix(StagedAsset.blockBytes)
            let count = try read(block, FrameOffset(offset))
            guard count > 0 else { return (hasher.finish(), offset) }
            hasher.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += UInt64(count)
        }
    }
}
