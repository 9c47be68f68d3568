/// Tells how many bytes of stores are read, while it happens: for a progress bar.
public enum ReadObservation {
    /// Takes each number of bytes that is read, also on threads that read ahead.
    public typealias Observer = @Sendable (ByteCount) -> Void

    @TaskLocal private static var observer: Observer?

    /// Runs `body`, and observes every store that it opens: to inspect, verify, copy, compact or rescue it.
    public static func withObserver<Result>(
        _ observer: @escaping Observer, _ body: () -> Result
    ) -> Result {
        $observer.withValue(observer) { body() }
    }

    /// The store in a directory, observed inside `withObserver`.
    static func fileSystem(at path: String) -> any FileSystem {
        let fileSystem = POSIXFileSystem(path)
        return observer.map { ObservedFileSystem(fileSystem, $0) } ?? fileSystem
    }
}

/// A directory whose files say how much of them is read.
private final class ObservedFileSystem: FileSystem {
    private let base: any FileSystem
    private let observer: ReadObservation.Observer

    init(_ base: any FileSystem, _ observer: @escaping ReadObservation.Observer) {
        self.base = base
        self.observer = observer
    }

    var displayPath: String { base.displayPath }

    func createDirectory() throws(FileSystemError) { try base.createDirectory() }

    func list() throws(FileSystemError) -> [String]? { try base.list() }

    func open(_ name: String, _ mode: FileOpenMode) throws(FileSystemError) -> any StoreFile {
        ObservedFile(try base.open(name, mode), observer)
    }

    func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try base.rename(name, to: newName)
    }

    func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        try base.rename(name, to: newName, inSubdirectory: subdirectory)
    }

    func remove(_ name: String) throws(FileSystemError) { try base.remove(name) }

    func synchronizeDirectory() throws(FileSystemError) { try base.synchronizeDirectory() }

    func identity() throws(FileSystemError) -> FileIdentity { try base.identity() }

    func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        try base.identity(of: name)
    }

    func subdirectory(_ name: String) -> any FileSystem {
        ObservedFileSystem(base.subdirectory(name), observer)
    }
}

private final class ObservedFile: StoreFile {
    private let base: any StoreFile
    private let observer: ReadObservation.Observer

    init(_ base: any StoreFile, _ observer: @escaping ReadObservation.Observer) {
        self.base = base
        self.observer = observer
    }

    var name: String {
        get { base.name }
        set { base.name = newValue }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        let count = try base.read(into: buffer, at: offset)
        observer(ByteCount(UInt64(count)))
        return count
    }

    func readAhead(from offset: FrameOffset, byteCount: Int) {
        base.readAhead(from: offset, byteCount: byteCount)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try base.write(bytes, at: offset)
    }

    func truncate(to length: ByteCount) throws(FileSystemError) { try base.truncate(to: length) }

    func reserve(behind end: FrameOffset) -> FrameOffset? { base.reserve(behind: end) }

    func allocate(to length: ByteCount) -> Bool { base.allocate(to: length) }

    func synchronize() throws(FileSystemError) { try base.synchronize() }

    func length() throws(FileSystemError) -> ByteCount { try base.length() }

    func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset? {
        try base.contentStart(from: offset)
    }

    func identity() throws(FileSystemError) -> FileIdentity { try base.identity() }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool { try base.lock(kind) }

    func unlock() throws(FileSystemError) { try base.unlock() }

    func close() throws(FileSystemError) { try base.close() }
}
