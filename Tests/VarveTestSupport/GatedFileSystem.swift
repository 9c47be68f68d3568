import Foundation
package import VarveLog

/// A file system whose syncs wait until a test lets them go, and are counted.
package final class GatedFileSystem: FileSystem {
    fileprivate struct Gate: Sendable {
        var isClosed = false
        var waiting = 0
        var syncs = 0
    }

    private let base: any FileSystem
    private let gate: GateKeeper

    package convenience init(_ base: any FileSystem) { self.init(base, GateKeeper()) }

    private init(_ base: any FileSystem, _ gate: GateKeeper) {
        self.base = base
        self.gate = gate
    }

    /// How many syncs of files have begun.
    package var syncs: Int { gate.state.withLock { $0.syncs } }

    /// From now on syncs wait.
    package func closeGate() { gate.state.withLock { $0.isClosed = true } }

    /// Lets all syncs go on.
    package func openGate() { gate.open() }

    /// Returns when a sync waits at the gate.
    package func awaitSync() {
        while gate.state.withLock({ $0.waiting }) == 0 { Thread.sleep(forTimeInterval: 0.0001) }
    }

    package var displayPath: String { base.displayPath }
    package func createDirectory() throws(FileSystemError) { try base.createDirectory() }
    package func list() throws(FileSystemError) -> [String]? { try base.list() }
    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        GatedFile(try base.open(name, mode), gate)
    }
    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try base.rename(name, to: newName)
    }
    package func remove(_ name: String) throws(FileSystemError) { try base.remove(name) }
    package func synchronizeDirectory() throws(FileSystemError) {
        try base.synchronizeDirectory()
    }
    package func identity() throws(FileSystemError) -> FileIdentity { try base.identity() }
    package func subdirectory(_ name: String) -> any FileSystem {
        GatedFileSystem(base.subdirectory(name), gate)
    }
}

private final class GateKeeper: Sendable {
    let state = Lock(GatedFileSystem.Gate())
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        let mustWait = state.withLock { state in
            state.syncs += 1
            if state.isClosed { state.waiting += 1 }
            return state.isClosed
        }
        if mustWait { semaphore.wait() }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = 0 }
            state.isClosed = false
            return state.waiting
        }
        for _ in 0..<waiting { semaphore.signal() }
    }
}

private final class GatedFile: StoreFile {
    private let base: any StoreFile
    private let gate: GateKeeper

    init(_ base: any StoreFile, _ gate: GateKeeper) {
        self.base = base
        self.gate = gate
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int { try base.read(into: buffer, at: offset) }
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int { try base.write(bytes, at: offset) }
    func truncate(to length: ByteCount) throws(FileSystemError) { try base.truncate(to: length) }
    func synchronize() throws(FileSystemError) {
        gate.pass()
        try base.synchronize()
    }
    func length() throws(FileSystemError) -> ByteCount { try base.length() }
    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool { try base.lock(kind) }
    func unlock() throws(FileSystemError) { try base.unlock() }
    func close() throws(FileSystemError) { try base.close() }
}
