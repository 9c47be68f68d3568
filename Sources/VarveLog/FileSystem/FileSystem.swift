/// One directory of files, and everything the log asks of an operating system.
///
/// All input and output of the log goes through this protocol, so that a simulated disk can stand
/// in for the real one. Names are single path components; implementations never follow a symbolic
/// link and hand out regular files with exactly one link only.
///
/// Durability contract: bytes are safe from a power cut when `StoreFile.synchronize` has returned
/// after they were written, and a name is safe when `synchronizeDirectory` has returned after it
/// appeared. Neither implies the other.
///
/// A directory may be used by several threads at once; an open file belongs to one, except that any
/// thread may call `synchronize` while the owner reads and writes: it covers what was written
/// before the call.
package protocol FileSystem: AnyObject, Sendable {
    /// A name of the directory for people: its path.
    var displayPath: String { get }

    /// Creates the directory itself, durably, when it is absent.
    func createDirectory() throws(FileSystemError)

    /// The names in the directory, in no particular order; nil when the directory does not exist.
    func list() throws(FileSystemError) -> [String]?

    func open(_ name: String, _ mode: FileOpenMode) throws(FileSystemError) -> any StoreFile

    /// Gives a file a new name, replacing the file that has it.
    func rename(_ name: String, to newName: String) throws(FileSystemError)

    /// Gives a file a new name in a directory inside this one, replacing the file that has it there.
    func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError)

    func remove(_ name: String) throws(FileSystemError)

    /// Makes every name that was created, changed or removed so far safe from a power cut.
    func synchronizeDirectory() throws(FileSystemError)

    /// Who the directory is, whatever path led to it.
    func identity() throws(FileSystemError) -> FileIdentity

    /// Which file has a name at this moment; nil where none has it. Opens nothing.
    func identity(of name: String) throws(FileSystemError) -> FileIdentity?

    /// A directory inside this one.
    func subdirectory(_ name: String) -> any FileSystem

    /// Opens a new file without a name, for memory that does not fit: nothing of it outlives the process. Returns its
    /// descriptor, which the caller closes; nil where there is no such file.
    func openUnnamedFile() -> Int32?
}

extension FileSystem {
    package func openUnnamedFile() -> Int32? { nil }
}

/// An open file. Closed at the latest when the last reference goes.
package protocol StoreFile: AnyObject {
    /// What errors call it. The owner of an open file sets it behind a renaming.
    var name: String { get set }

    /// Reads at most `buffer.count` bytes; fewer is normal, 0 means the end of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int

    /// Has the system read a part of the file that is wanted soon, without waiting for it. A hint, which says nothing of
    /// errors.
    func readAhead(from offset: FrameOffset, byteCount: Int)

    /// Writes at most `bytes.count` bytes and returns how many.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: FrameOffset) throws(FileSystemError)
        -> Int

    func truncate(to length: ByteCount) throws(FileSystemError)

    /// Takes space for small things that will be written from `end` on, so that a sync of them need
    /// change nothing about the file but its bytes. The space reads as zeros and ends at a multiple of 512, but where only a part
    /// was to be had. Returns where it ends, which is the file's length; nil where there is none: writing
    /// goes on without, and tells what is wrong where something is.
    func reserve(behind end: FrameOffset) -> FrameOffset?

    /// Takes space up to `length`, which the file then has at least, to be released by `truncate`. What was not written
    /// reads as zeros. False where there is no space, or the system has no such call; the file may be longer even so.
    func allocate(to length: ByteCount) -> Bool

    /// Returns when what was written to the file, and its length, survive a power cut. After an
    /// error nobody knows what reached the disk: never try again, stop writing.
    func synchronize() throws(FileSystemError)

    func length() throws(FileSystemError) -> ByteCount

    /// Where there may be something else than zeros, at or behind `offset`: the end of the hole that is there. Nil
    /// where nothing but a hole follows. Reads nothing, so that the length of a sparse file costs nothing.
    func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset?

    /// Which file it is, whatever name it has.
    func identity() throws(FileSystemError) -> FileIdentity

    /// Takes the advisory lock without waiting; false when somebody else holds it.
    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool

    func unlock() throws(FileSystemError)

    func close() throws(FileSystemError)
}

package enum FileOpenMode: Sendable {
    case read
    case readWrite
    /// A new file; an existing one of that name is an error.
    case createExclusive
    /// The existing file, or a new one.
    case createIfMissing
}

package enum FileLockKind: Sendable {
    case shared
    case exclusive
}

/// What tells one directory or file from every other on this machine.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
