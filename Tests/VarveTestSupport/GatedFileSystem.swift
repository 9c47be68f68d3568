import Foundation
package import VarveLog

/// A file system whose syncs wait until a test lets them go, and are counted.
package final class GatedFileSystem: ForwardingFileSystem {
    fileprivate struct Gate: Sendable {
        var isClosed = false
        var waiting = 0
        var syncs = 0
    }

    package let base: any FileSystem
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

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        GatedFile(try base.open(name, mode), gate)
    }
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

private final class GatedFile: ForwardingFile {
    let base: any StoreFile
    private let gate: GateKeeper

    init(_ base: any StoreFile, _ gate: GateKeeper) {
        self.base = base
        self.gate = gate
    }

    func synchronize() throws(FileSystemError) {
        gate.pass()
        try base.synchronize()
    }
}
