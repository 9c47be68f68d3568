package import VarveLog

/// A file system that fails on purpose: passes everything on to another one, counts the operations
/// and lets chosen ones go wrong.
package final class FaultyFileSystem: FileSystem {
    package struct Fault: Sendable {
        /// The number of the first operation that fails, counted from 0.
        package var operation: Int
        /// How many fail from there on.
        package var count: Int
        package var code: Int32
        /// Writes take half of the bytes before they fail, and renames take effect.
        package var isHalfDone: Bool

        package init(operation: Int, count: Int = 1, code: Int32, isHalfDone: Bool = false) {
            self.operation = operation
            self.count = count
            self.code = code
            self.isHalfDone = isHalfDone
        }
    }

    fileprivate struct State: Sendable {
        var operations = 0
        var fault: Fault?
        /// The most bytes that one read or write moves.
        var transferBytesMax: Int
    }

    private let base: any FileSystem
    private let state: Lock<State>

    package convenience init(
        _ base: any FileSystem, fault: Fault? = nil, transferBytesMax: Int = .max
    ) {
        self.init(base, Lock(State(fault: fault, transferBytesMax: transferBytesMax)))
    }

    private init(_ base: any FileSystem, _ state: Lock<State>) {
        self.base = base
        self.state = state
    }

    /// How many operations there were.
    package var operations: Int { state.withLock { $0.operations } }

    /// Lets other operations fail from here on.
    package func setFault(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    package var displayPath: String { base.displayPath }

    package func createDirectory() throws(FileSystemError) {
        try state.pass(.createDirectory, displayPath)
        try base.createDirectory()
    }

    package func list() throws(FileSystemError) -> [String]? {
        try state.pass(.list, displayPath)
        return try base.list()
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        try state.pass(.open, name)
        return FaultyFile(try base.open(name, mode), state: state)
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try state.pass(.rename, name)
        } catch {
            if state.isHalfDone { try base.rename(name, to: newName) }
            throw error
        }
        try base.rename(name, to: newName)
    }

    package func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        do throws(FileSystemError) {
            try state.pass(.rename, name)
        } catch {
            if state.isHalfDone {
                try base.rename(name, to: newName, inSubdirectory: subdirectory)
            }
            throw error
        }
        try base.rename(name, to: newName, inSubdirectory: subdirectory)
    }

    package func remove(_ name: String) throws(FileSystemError) {
        try state.pass(.remove, name)
        try base.remove(name)
    }

    package func synchronizeDirectory() throws(FileSystemError) {
        try state.pass(.synchronizeDirectory, displayPath)
        try base.synchronizeDirectory()
    }

    package func identity() throws(FileSystemError) -> FileIdentity {
        try state.pass(.status, displayPath)
        return try base.identity()
    }

    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        try state.pass(.status, name)
        return try base.identity(of: name)
    }

    package func subdirectory(_ name: String) -> any FileSystem {
        FaultyFileSystem(base.subdirectory(name), state)
    }
}

private final class FaultyFile: StoreFile {
    private let base: any StoreFile
    private let state: Lock<FaultyFileSystem.State>

    init(_ base: any StoreFile, state: Lock<FaultyFileSystem.State>) {
        self.base = base
        self.state = state
    }

    var name: String {
        get { base.name }
        set { base.name = newValue }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try state.pass(.read, name)
        let count = min(buffer.count, state.withLock { $0.transferBytesMax })
        return try base.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        do throws(FileSystemError) {
            try state.pass(.write, name)
        } catch {
            if state.isHalfDone {
                let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
                _ = try base.write(half, at: offset)
            }
            throw error
        }
        let count = min(bytes.count, state.withLock { $0.transferBytesMax })
        return try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        try state.pass(.truncate, name)
        try base.truncate(to: length)
    }

    func readAhead(from offset: FrameOffset, byteCount: Int) {
        base.readAhead(from: offset, byteCount: byteCount)
    }

    /// Never an error of its own: what is written next meets it.
    func reserve(behind end: FrameOffset) -> FrameOffset? { base.reserve(behind: end) }

    /// Nor this one: nothing depends on it.
    func allocate(to length: ByteCount) -> Bool { base.allocate(to: length) }

    func synchronize() throws(FileSystemError) {
        try state.pass(.synchronize, name)
        try base.synchronize()
    }

    func length() throws(FileSystemError) -> ByteCount {
        try state.pass(.status, name)
        return try base.length()
    }

    func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset? {
        try state.pass(.status, name)
        return try base.contentStart(from: offset)
    }

    func identity() throws(FileSystemError) -> FileIdentity {
        try state.pass(.status, name)
        return try base.identity()
    }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        try state.pass(.lock, name)
        return try base.lock(kind)
    }

    func unlock() throws(FileSystemError) {
        try state.pass(.lock, name)
        try base.unlock()
    }

    func close() throws(FileSystemError) {
        try state.pass(.close, name)
        try base.close()
    }
}

extension Lock where State == FaultyFileSystem.State {
    /// Counts an operation and fails it when it is its turn.
    fileprivate func pass(
        _ operation: FileSystemError.Operation, _ file: String
    ) throws(FileSystemError) {
        try withLock { state throws(FileSystemError) in
            defer { state.operations += 1 }
            guard let fault = state.fault, state.operations >= fault.operation,
                state.operations - fault.operation < fault.count
            else { return }
            throw FileSystemError(operation, file: file, reason: .system(code: fault.code))
        }
    }

    fileprivate var isHalfDone: Bool { withLock { $0.fault?.isHalfDone ?? false } }
}
