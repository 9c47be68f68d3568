import VarveLog
import VarveTestSupport

/// A file system that tells the log what is not so.
final class LyingFileSystem: ForwardingFileSystem {
    enum Lie: Sendable {
        case locksExcludeNobody, nobodyHoldsLocks, shortWritesCountAsWhole, shortReadsCountAsWhole
    }

    let base: any FileSystem
    private let lie: Lie
    private let identities = Lock<UInt64>(1 << 40)

    init(_ base: any FileSystem, _ lie: Lie) {
        self.base = base
        self.lie = lie
    }

    func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        LyingFile(try base.open(name, mode), lie)
    }

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

private final class LyingFile: ForwardingFile {
    let base: any StoreFile
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

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        switch lie {
        case .locksExcludeNobody: true
        case .nobodyHoldsLocks where kind == .shared: true
        default: try base.lock(kind)
        }
    }
}
