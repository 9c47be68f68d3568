package import VarveLog

/// A file system that passes on to another one whatever it does not do itself.
package protocol ForwardingFileSystem: FileSystem {
    var base: any FileSystem { get }
}

extension ForwardingFileSystem {
    package var displayPath: String { base.displayPath }
    package func createDirectory() throws(FileSystemError) { try base.createDirectory() }
    package func list() throws(FileSystemError) -> [String]? { try base.list() }
    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try base.rename(name, to: newName)
    }
    package func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        try base.rename(name, to: newName, inSubdirectory: subdirectory)
    }
    package func remove(_ name: String) throws(FileSystemError) { try base.remove(name) }
    package func synchronizeDirectory() throws(FileSystemError) {
        try base.synchronizeDirectory()
    }
    package func identity() throws(FileSystemError) -> FileIdentity { try base.identity() }
    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        try base.identity(of: name)
    }
    package func openUnnamedFile() -> Int32? { base.openUnnamedFile() }
}

/// An open file that passes on to another one whatever it does not do itself.
package protocol ForwardingFile: StoreFile {
    var base: any StoreFile { get }
}

extension ForwardingFile {
    package var name: String {
        get { base.name }
        set { base.name = newValue }
    }
    package func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset? {
        try base.contentStart(from: offset)
    }
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int { try base.read(into: buffer, at: offset) }
    package func readAhead(from offset: FrameOffset, byteCount: Int) {
        base.readAhead(from: offset, byteCount: byteCount)
    }
    package func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int { try base.write(bytes, at: offset) }
    package func truncate(to length: ByteCount) throws(FileSystemError) {
        try base.truncate(to: length)
    }
    package func reserve(behind end: FrameOffset) -> FrameOffset? { base.reserve(behind: end) }
    package func allocate(to length: ByteCount) -> Bool { base.allocate(to: length) }
    package func synchronize() throws(FileSystemError) { try base.synchronize() }
    package func length() throws(FileSystemError) -> ByteCount { try base.length() }
    package func identity() throws(FileSystemError) -> FileIdentity { try base.identity() }
    package func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool { try base.lock(kind) }
    package func unlock() throws(FileSystemError) { try base.unlock() }
    package func close() throws(FileSystemError) { try base.close() }
}
