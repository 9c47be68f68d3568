import VarveLog

/// A file system that tells the log what is not so.
final class LyingFileSystem: FileSystem {
    enum Lie: Sendable {
        case locksExcludeNobody, nobodyHoldsLocks, shortWritesCountAsWhole, shortReadsCountAsWhole
    }

    private let base: any FileSystem
    private let lie: Lie
    private let identities = Lock<UInt64>(1 << 40)

    init(_ base: any FileSystem, _ lie: Lie) {
        self.base = base
        self.lie = lie
    }

    var displayPath: String { base.displayPath }
    func createDirectory() throws(FileSystemError) { try base.createDirectory() }
    func list() throws(FileSystemError) -> [String]? { try base.list() }
    func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        LyingFile(try base.open(name, mode), lie)
    }
    func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try base.rename(name, to: newName)
    }
    func remove(_ name: String) throws(FileSystemError) { try base.remove(name) }
    func synchronizeDirectory() throws(FileSystemError) { try base.synchronizeDirectory() }

    func identity() throws(FileSystemError) -> FileIdentity {
        guard lie == .locksExcludeNobody else { return try base.identity() }
        return identities.withLock { next in
            next += 1
            return FileIdentity(device: 1 << 62, inode: next)
        }
    }

    func subdirectory(_ name: String) -> any FileSystem {
        LyingFileSystem(base.subdirectory(name), lie)
    }
}

private final class LyingFile: StoreFile {
    private let base: any StoreFile
    private let lie: LyingFileSystem.Lie

    init(_ base: any StoreFile, _ lie: LyingFileSystem.Lie) {
        self.base = base
        self.lie = lie
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        guard lie == .shortReadsCountAsWhole, buffer.count > 128 else {
            return try base.read(into: buffer, at: offset)
        }
        let half = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count / 2)])
        _ = try base.read(into: half, at: offset)
        return buffer.count
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        guard lie == .shortWritesCountAsWhole, bytes.count > 160 else {
            return try base.write(bytes, at: offset)
        }
        let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
        _ = try base.write(half, at: offset)
        return bytes.count
    }

    func truncate(to length: ByteCount) throws(FileSystemError) { try base.truncate(to: length) }
    func synchronize() throws(FileSystemError) { try base.synchronize() }
    func length() throws(FileSystemError) -> ByteCount { try base.length() }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        switch lie {
        case .locksExcludeNobody: true
        case .nobodyHoldsLocks where kind == .shared: true
        default: try base.lock(kind)
        }
    }

    func unlock() throws(FileSystemError) { try base.unlock() }
    func close() throws(FileSystemError) { try base.close() }
}
