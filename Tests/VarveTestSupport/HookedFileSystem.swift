import Foundation
package import VarveLog

/// A file system that lets a test act right before an operation, or refuse it.
package final class HookedFileSystem: ForwardingFileSystem {
    /// Is given the operation; the file's name, or the directory's path; and what is read or written.
    package typealias Hook =
        @Sendable (FileSystemError.Operation, String, Range<UInt64>) throws(FileSystemError) -> Void

    package let base: any FileSystem
    fileprivate let hook: Lock<Hook?>

    package convenience init(_ base: any FileSystem, _ hook: Hook? = nil) {
        self.init(base, Lock(hook))
    }

    private init(_ base: any FileSystem, _ hook: Lock<Hook?>) {
        self.base = base
        self.hook = hook
    }

    package func setHook(_ new: Hook?) { hook.withLock { $0 = new } }

    /// Has the system refuse to read some files, by their names, until there is another hook.
    package func refuseReads(of isRefused: @escaping @Sendable (_ name: String) -> Bool) {
        setHook { operation, name, _ throws(FileSystemError) in
            guard operation == .read, isRefused(name) else { return }
            throw FileSystemError(.read, file: name, reason: .system(code: EIO))
        }
    }

    package func createDirectory() throws(FileSystemError) {
        try hook.call(.createDirectory, displayPath)
        try base.createDirectory()
    }

    package func list() throws(FileSystemError) -> [String]? {
        try hook.call(.list, displayPath)
        return try base.list()
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        try hook.call(.open, name)
        return HookedFile(try base.open(name, mode), hook)
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try hook.call(.rename, name)
        try base.rename(name, to: newName)
    }

    package func remove(_ name: String) throws(FileSystemError) {
        try hook.call(.remove, name)
        try base.remove(name)
    }

    package func synchronizeDirectory() throws(FileSystemError) {
        try hook.call(.synchronizeDirectory, displayPath)
        try base.synchronizeDirectory()
    }

    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        try hook.call(.status, name)
        return try base.identity(of: name)
    }

    package func subdirectory(_ name: String) -> any FileSystem {
        HookedFileSystem(base.subdirectory(name), hook)
    }
}

private final class HookedFile: ForwardingFile {
    let base: any StoreFile
    private let hook: Lock<HookedFileSystem.Hook?>

    init(_ base: any StoreFile, _ hook: Lock<HookedFileSystem.Hook?>) {
        self.base = base
        self.hook = hook
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try hook.call(.read, name, offset.rawValue..<(offset.rawValue + UInt64(buffer.count)))
        return try base.read(into: buffer, at: offset)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try hook.call(.write, name, offset.rawValue..<(offset.rawValue + UInt64(bytes.count)))
        return try base.write(bytes, at: offset)
    }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        try hook.call(.truncate, name)
        try base.truncate(to: length)
    }

    func synchronize() throws(FileSystemError) {
        try hook.call(.synchronize, name)
        try base.synchronize()
    }

    func length() throws(FileSystemError) -> ByteCount {
        try hook.call(.status, name)
        return try base.length()
    }
}

extension Lock where State == HookedFileSystem.Hook? {
    /// Outside of the lock: what a test does may come here again.
    fileprivate func call(
        _ operation: FileSystemError.Operation, _ name: String, _ bytes: Range<UInt64> = 0..<0
    ) throws(FileSystemError) {
        if let hook = withLock({ $0 }) { try hook(operation, name, bytes) }
    }
}
