/// A directory that lives in memory and ends with its last reference: for stores without a disk.
///
/// Everything is safe as soon as it is written, as far as memory is safe.
package final class MemoryFileSystem: FileSystem {
    private struct Directory: Sendable {
        var exists = false
        var files: [String: MemoryFile.Content] = [:]
        var subdirectories: [String: MemoryFileSystem] = [:]
    }

    package let displayPath: String
    private let directory = Lock(Directory())
    private let inode: UInt64

    private static let nextInode = Lock<UInt64>(1)

    package init(name: String = "memory") {
        displayPath = name
        inode = Self.makeInode()
    }

    fileprivate static func makeInode() -> UInt64 {
        nextInode.withLock { next in
            defer { next += 1 }
            return next
        }
    }

    package func createDirectory() throws(FileSystemError) {
        directory.withLock { $0.exists = true }
    }

    package func list() throws(FileSystemError) -> [String]? {
        // Outside of the lock: those inside have locks of their own.
        let directory = directory.withLock { $0 }
        guard directory.exists else { return nil }
        return Array(directory.files.keys)
            + directory.subdirectories.filter { $0.value.directory.withLock { $0.exists } }.map(
                \.key)
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        let content = try directory.withLock { directory throws(FileSystemError) in
            let present = directory.files[name]
            switch mode {
            case .read, .readWrite:
                guard let present else { throw Self.error(.open, name, POSIX.notFound) }
                return present
            case .createExclusive:
                guard present == nil else { throw Self.error(.open, name, POSIX.alreadyThere) }
            case .createIfMissing:
                if let present { return present }
            }
            let created = MemoryFile.Content()
            directory.files[name] = created
            return created
        }
        return MemoryFile(content, name: name)
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try directory.withLock { directory throws(FileSystemError) in
            guard let content = directory.files.removeValue(forKey: name) else {
                throw Self.error(.rename, name, POSIX.notFound)
            }
            directory.files[newName] = content
        }
    }

    package func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        let content = try directory.withLock { directory throws(FileSystemError) in
            guard let content = directory.files.removeValue(forKey: name) else {
                throw Self.error(.rename, name, POSIX.notFound)
            }
            return content
        }
        memory(subdirectory).directory.withLock { $0.files[newName] = content }
    }

    package func remove(_ name: String) throws(FileSystemError) {
        try directory.withLock { directory throws(FileSystemError) in
            guard directory.files.removeValue(forKey: name) != nil else {
                throw Self.error(.remove, name, POSIX.notFound)
            }
        }
    }

    package func synchronizeDirectory() throws(FileSystemError) {}

    /// Device 0 is no real one: no directory of a disk is ever taken for one in memory.
    package func identity() throws(FileSystemError) -> FileIdentity {
        FileIdentity(device: 0, inode: inode)
    }

    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        directory.withLock { $0.files[name]?.identity }
    }

    package func subdirectory(_ name: String) -> any FileSystem { memory(name) }

    private func memory(_ name: String) -> MemoryFileSystem {
        directory.withLock { directory in
            if let present = directory.subdirectories[name] { return present }
            let created = MemoryFileSystem(name: displayPath + "/" + name)
            directory.subdirectories[name] = created
            return created
        }
    }

    private static func error(
        _ operation: FileSystemError.Operation, _ name: String, _ code: Int32
    ) -> FileSystemError {
        FileSystemError(operation, file: name, reason: .system(code: code))
    }
}

/// A handle to a file in memory.
final class MemoryFile: StoreFile {
    /// The bytes, and who holds the advisory lock.
    final class Content: Sendable {
        struct State: Sendable {
            var bytes: [UInt8] = []
            var isLocked = false
        }

        let state = Lock(State())
        let identity = FileIdentity(device: 0, inode: MemoryFileSystem.makeInode())
    }

    var name: String
    private let content: Content
    private var holdsLock = false

    init(_ content: Content, name: String) {
        self.content = content
        self.name = name
    }

    deinit {
        if holdsLock { content.state.withLock { $0.isLocked = false } }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        // The buffer is the caller's own for the length of the call; the lock's closure ends first.
        nonisolated(unsafe) let buffer = buffer
        return content.state.withLock { state in
            guard let start = Int(exactly: offset.rawValue), start < state.bytes.count else {
                return 0
            }
            let count = min(buffer.count, state.bytes.count - start)
            buffer.copyBytes(from: state.bytes[start..<start + count])
            return count
        }
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        nonisolated(unsafe) let bytes = bytes
        content.state.withLock { state in
            let start = Int(offset.rawValue)
            let end = start + bytes.count
            if start > state.bytes.count {
                state.bytes.append(
                    contentsOf: repeatElement(0, count: start - state.bytes.count))
            }
            let overlap = min(state.bytes.count, end) - start
            state.bytes.replaceSubrange(start..<start + overlap, with: bytes)
        }
        return bytes.count
    }

    func readAhead(from offset: FrameOffset, byteCount: Int) {}

    /// Syncs cost nothing here.
    func reserve(behind end: FrameOffset) -> FrameOffset? { nil }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        content.state.withLock { state in
            let length = Int(length.rawValue)
            if length < state.bytes.count {
                state.bytes.removeSubrange(length...)
            } else {
                state.bytes.append(
                    contentsOf: repeatElement(0, count: length - state.bytes.count))
            }
        }
    }

    func synchronize() throws(FileSystemError) {}

    func length() throws(FileSystemError) -> ByteCount {
        ByteCount(content.state.withLock { UInt64($0.bytes.count) })
    }

    func allocate(to length: ByteCount) -> Bool { false }

    /// Memory has no holes.
    func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset? { offset }

    func identity() throws(FileSystemError) -> FileIdentity { content.identity }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        let taken = content.state.withLock { state in
            guard !state.isLocked else { return false }
            state.isLocked = kind == .exclusive
            return true
        }
        holdsLock = taken && kind == .exclusive
        return taken
    }

    func unlock() throws(FileSystemError) {
        if holdsLock { content.state.withLock { $0.isLocked = false } }
        holdsLock = false
    }

    func close() throws(FileSystemError) { try unlock() }
}
