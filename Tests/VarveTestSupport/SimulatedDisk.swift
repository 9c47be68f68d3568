package import VarveLog

/// A directory in memory that remembers every change and every sync, so that the states in which a
/// power cut could leave it can be built (`SimulatedDisk+Crash`).
///
/// Opening a new disk from an image stands for the machine coming back.
package final class SimulatedDisk: FileSystem {
    package let displayPath: String
    private let directory: DirectoryNumber
    let state: Lock<SimulatedDiskState>

    /// An empty directory, or one with the files of an image.
    ///
    /// - Parameter reserved: how much space a file gets beforehand, where that is asked for.
    package convenience init(_ image: DiskImage = DiskImage(), reserving reserved: UInt64 = 0) {
        var state = SimulatedDiskState(image: image)
        state.reservedBytes = reserved
        self.init("simulated", DirectoryNumber(0), Lock(state))
    }

    private init(
        _ displayPath: String, _ directory: DirectoryNumber, _ state: Lock<SimulatedDiskState>
    ) {
        self.displayPath = displayPath
        self.directory = directory
        self.state = state
    }

    /// The files as a program sees them now: what a killed process leaves behind.
    package var image: DiskImage { state.withLock { $0.image } }

    /// Every change and sync since the disk was made, in order.
    package var operations: [DiskOperation] { state.withLock { $0.operations } }

    /// Overwrites bytes behind everybody's back, as a failing medium does.
    package func corrupt(_ name: String, _ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard let file = state.entry(name, in: directory) else {
                preconditionFailure("there is no \(name) to corrupt")
            }
            change(&state.content[file, default: []])
        }
    }

    /// The next sync of a file reports an error, and what it should have written stays in memory
    /// without ever reaching the disk, as on most Linux file systems.
    package func failNextSynchronize() { failSynchronize(after: 0, .forgotten) }

    /// A sync to come fails in that way, once that many have succeeded.
    package func failSynchronize(after count: Int, _ style: SyncFailure) {
        state.withLock { $0.syncFailure = (count, style) }
    }

    /// No sync to come fails.
    package func succeed() { state.withLock { $0.syncFailure = nil } }

    /// How many syncs of files there were.
    package var syncs: Int { state.withLock { $0.syncs } }

    /// Takes the place of the operations so far by these, as if they had been asked for.
    package func replay(_ operations: [DiskOperation]) {
        state.withLock { state in
            state = state.atStart
            for operation in operations { state.perform(operation) }
        }
    }

    /// The power goes, and the machine comes back with the files of `image`. Files that are open
    /// must not be used any more.
    package func restart(with image: DiskImage) {
        state.withLock { $0.restart(with: image) }
    }

    // MARK: FileSystem

    package func createDirectory() throws(FileSystemError) {
        state.withLock { $0.createDirectory(directory) }
    }

    package func list() throws(FileSystemError) -> [String]? {
        state.withLock { $0.names(in: directory) }
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        let file = try state.withLock { state throws(FileSystemError) in
            try state.open(name, mode, in: directory)
        }
        return SimulatedFile(file, name: name, state: state)
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            guard let file = state.entry(name, in: directory) else {
                throw SimulatedDiskState.notFound(.rename, name)
            }
            state.perform(.rename(directory, name, newName, file))
        }
    }

    /// As two changes: a power cut may leave the file under one of the names, both, or none.
    package func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            guard let file = state.entry(name, in: directory) else {
                throw SimulatedDiskState.notFound(.rename, name)
            }
            let target = state.directoryNumber(subdirectory, in: directory)
            state.perform(.link(target, newName, file))
            state.perform(.remove(directory, name))
        }
    }

    package func remove(_ name: String) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            guard state.entry(name, in: directory) != nil else {
                throw SimulatedDiskState.notFound(.remove, name)
            }
            state.perform(.remove(directory, name))
        }
    }

    package func synchronizeDirectory() throws(FileSystemError) {
        state.withLock { $0.perform(.synchronizeDirectory(directory)) }
    }

    package func identity() throws(FileSystemError) -> FileIdentity {
        state.withLock { state in
            FileIdentity(device: state.device, inode: UInt64(directory.rawValue))
        }
    }

    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        state.withLock { state in state.entry(name, in: directory).map { state.identity(of: $0) } }
    }

    package func subdirectory(_ name: String) -> any FileSystem {
        let number = state.withLock { $0.directoryNumber(name, in: directory) }
        return SimulatedDisk(displayPath + "/" + name, number, state)
    }
}

/// An open file of a simulated disk.
private final class SimulatedFile: StoreFile {
    private let file: FileNumber
    var name: String
    private let state: Lock<SimulatedDiskState>
    private var lockKind: FileLockKind?
    private var isOpen = true

    init(_ file: FileNumber, name: String, state: Lock<SimulatedDiskState>) {
        self.file = file
        self.name = name
        self.state = state
    }

    deinit {
        if let lockKind { state.withLock { $0.unlock(file, lockKind) } }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        requireOpen()
        let part = state.withLock { state in
            let content = state.content[file, default: []]
            let start = min(Int(offset.rawValue), content.count)
            return Array(content[start..<min(content.count, start + buffer.count)])
        }
        buffer.copyBytes(from: part)
        return part.count
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        requireOpen()
        let copy = Array(bytes)
        state.withLock { $0.perform(.write(file, Int(offset.rawValue), copy)) }
        return bytes.count
    }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        requireOpen()
        state.withLock { $0.perform(.truncate(file, Int(length.rawValue))) }
    }

    func readAhead(from offset: FrameOffset, byteCount: Int) { requireOpen() }

    func reserve(behind end: FrameOffset) -> FrameOffset? {
        requireOpen()
        return state.withLock { state in
            guard state.reservedBytes > 0 else { return nil }
            let goal = (end.rawValue + state.reservedBytes + 511) & ~511
            state.perform(.truncate(file, Int(goal)))
            return FrameOffset(goal)
        }
    }

    func synchronize() throws(FileSystemError) {
        requireOpen()
        try state.withLock { state throws(FileSystemError) in
            try state.synchronize(file, name: name)
        }
    }

    func length() throws(FileSystemError) -> ByteCount {
        requireOpen()
        return ByteCount(UInt64(state.withLock { $0.content[file, default: []].count }))
    }

    /// Space never ends here; see `SmallDisk`.
    func allocate(to length: ByteCount) -> Bool { false }

    /// Blocks of zeros are holes.
    func contentStart(from offset: FrameOffset) throws(FileSystemError) -> FrameOffset? {
        requireOpen()
        return state.withLock { $0.contentStart(of: file, from: Int(offset.rawValue)) }
            .map { FrameOffset(UInt64($0)) }
    }

    func identity() throws(FileSystemError) -> FileIdentity {
        requireOpen()
        return state.withLock { $0.identity(of: file) }
    }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        requireOpen()
        let held = lockKind
        let isTaken = state.withLock { $0.lock(file, kind, held: held) }
        if isTaken { lockKind = kind }
        return isTaken
    }

    func unlock() throws(FileSystemError) {
        requireOpen()
        guard let lockKind else { return }
        self.lockKind = nil
        state.withLock { $0.unlock(file, lockKind) }
    }

    func close() throws(FileSystemError) {
        requireOpen()
        try unlock()
        isOpen = false
    }

    private func requireOpen() {
        precondition(isOpen, "\(name) is used after it was closed")
    }
}
