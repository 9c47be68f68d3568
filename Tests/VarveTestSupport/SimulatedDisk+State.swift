import VarveLog

package struct FileNumber: Hashable, Sendable {
    package let rawValue: Int
}

package struct DirectoryNumber: Hashable, Comparable, Sendable {
    package let rawValue: Int

    init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (left: DirectoryNumber, right: DirectoryNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One change to a disk, or one promise that changes are safe.
package enum DiskOperation: Hashable, Sendable {
    case write(FileNumber, Int, [UInt8])
    case truncate(FileNumber, Int)
    case link(DirectoryNumber, String, FileNumber)
    case rename(DirectoryNumber, String, String, FileNumber)
    case remove(DirectoryNumber, String)
    case synchronize(FileNumber)
    /// The sync reported an error and forgot what it should have written: what the file holds in
    /// memory is not on the disk, and no later sync will bring it there.
    case synchronizeAndFail(FileNumber)
    /// What the system showed of a file went back to what is safe, after a sync that failed. It
    /// says nothing about the disk.
    case revert(FileNumber, [UInt8])
    case synchronizeDirectory(DirectoryNumber)
    /// Nothing happened: stands in the place of an operation that was taken out.
    case nothing

    /// What a sync makes safe.
    package enum Subject: Hashable, Sendable {
        case content(FileNumber)
        case names(DirectoryNumber)
        case nothing
    }

    package var subject: Subject {
        switch self {
        case .write(let file, _, _), .truncate(let file, _), .synchronize(let file),
            .synchronizeAndFail(let file), .revert(let file, _):
            .content(file)
        case .link(let directory, _, _), .rename(let directory, _, _, _),
            .remove(let directory, _), .synchronizeDirectory(let directory):
            .names(directory)
        case .nothing: .nothing
        }
    }

    /// It changes what a power cut may leave.
    package var isChange: Bool {
        switch self {
        case .write, .truncate, .link, .rename, .remove: true
        case .synchronize, .synchronizeAndFail, .revert, .synchronizeDirectory, .nothing: false
        }
    }

    package var isSync: Bool {
        switch self {
        case .synchronize, .synchronizeDirectory: true
        default: false
        }
    }
}

/// How a sync fails to make anything safe.
package enum SyncFailure: String, Sendable, CaseIterable {
    /// It reports an error. What it should have written stays in memory and never reaches the disk.
    case forgotten
    /// It reports an error, and memory goes back to what is safe.
    case reverted
    /// It reports nothing; the next sync of the file reports the error.
    case reportedLate
    /// It reports nothing, nor does any later one: the disk lies.
    case swallowed
}

/// The files of a disk by path: "segment-0000000001", "lost/…".
package struct DiskImage: Hashable, Sendable {
    package var files: [String: [UInt8]]

    package init(_ files: [String: [UInt8]] = [:]) {
        self.files = files
    }

    /// Without the lock file, which changes with every opening and on which nothing depends.
    package var withoutLock: DiskImage {
        DiskImage(files.filter { $0.key != StoreFileName.lock.text })
    }
}

/// What a running system knows of a disk.
struct SimulatedDiskState: Sendable {
    let device: UInt64
    private(set) var operations: [DiskOperation] = []
    var content: [FileNumber: [UInt8]] = [:]
    private(set) var entries: [DirectoryNumber: [String: FileNumber]] = [:]
    /// Directories are safe from the start: what they hold is what the log's safety rests on.
    private(set) var directories: [String: DirectoryNumber] = ["": DirectoryNumber(0)]
    private var existing: Set<DirectoryNumber> = []
    private var locks: [FileNumber: (shared: Int, exclusive: Bool)] = [:]
    private var nextFile = 0
    /// How much space a file gets beforehand.
    var reservedBytes: UInt64 = 0
    /// What becomes of a sync to come: how many before it succeed, and how it fails.
    var syncFailure: (after: Int, style: SyncFailure)?
    /// The next sync of this file reports what an earlier one kept to itself.
    private var lateReport: FileNumber?
    private(set) var syncs = 0
    private(set) var start: DiskImage

    /// Two disks are never the same directory, nor one of a real device.
    private static let nextDevice = Lock<UInt64>(1 << 63)

    init(image: DiskImage) {
        device = Self.nextDevice.withLock { next in
            next += 1
            return next
        }
        start = image
        existing.insert(DirectoryNumber(0))
        place(image)
    }

    var image: DiskImage {
        var image = DiskImage()
        for (path, directory) in directories {
            for (name, file) in entries[directory, default: [:]] {
                let full = path.isEmpty ? name : path + "/" + name
                image.files[full] = content[file, default: []]
            }
        }
        return image
    }

    /// The disk as it was made, without the operations since.
    var atStart: SimulatedDiskState {
        var state = self
        state.operations = []
        state.locks = [:]
        state.content = [:]
        state.entries = [:]
        state.existing.insert(DirectoryNumber(0))
        state.nextFile = 0
        state.place(start)
        return state
    }

    /// The machine comes back with the files of an image: nothing is locked, and nobody remembers.
    mutating func restart(with image: DiskImage) {
        start = image
        syncFailure = nil
        lateReport = nil
        self = atStart
    }

    private mutating func place(_ image: DiskImage) {
        for path in image.files.keys.sorted() {
            let parts = path.split(separator: "/").map { String($0) }
            var directory = DirectoryNumber(0)
            for part in parts.dropLast() {
                directory = directoryNumber(part, in: directory)
                existing.insert(directory)
            }
            let file = newFile()
            content[file] = image.files[path]
            entries[directory, default: [:]][parts[parts.count - 1]] = file
        }
    }

    // MARK: Names

    mutating func directoryNumber(_ name: String, in parent: DirectoryNumber) -> DirectoryNumber {
        let path = self.path(of: parent).map { $0 + "/" + name } ?? name
        if let number = directories[path] { return number }
        let number = DirectoryNumber(directories.count)
        directories[path] = number
        return number
    }

    /// Nil for the disk's own directory.
    private func path(of directory: DirectoryNumber) -> String? {
        directories.first { $0.value == directory && !$0.key.isEmpty }?.key
    }

    mutating func createDirectory(_ directory: DirectoryNumber) {
        existing.insert(directory)
    }

    func names(in directory: DirectoryNumber) -> [String]? {
        guard existing.contains(directory) else { return nil }
        let names = entries[directory, default: [:]].keys.sorted()
        let prefix = path(of: directory).map { $0 + "/" } ?? ""
        let inner = directories.filter { path, number in
            path.hasPrefix(prefix) && path.count > prefix.count && existing.contains(number)
                && !path.dropFirst(prefix.count).contains("/")
        }
        return names + inner.keys.map { String($0.dropFirst(prefix.count)) }.sorted()
    }

    func entry(_ name: String, in directory: DirectoryNumber) -> FileNumber? {
        entries[directory, default: [:]][name]
    }

    mutating func open(
        _ name: String, _ mode: FileOpenMode, in directory: DirectoryNumber
    ) throws(FileSystemError) -> FileNumber {
        let file = entry(name, in: directory)
        switch (mode, file) {
        case (.createExclusive, .some):
            throw FileSystemError(.open, file: name, reason: .system(code: 17))
        case (_, let file?): return file
        case (.read, nil), (.readWrite, nil): throw Self.notFound(.open, name)
        case (.createExclusive, nil), (.createIfMissing, nil):
            let file = newFile()
            perform(.link(directory, name, file))
            return file
        }
    }

    static func notFound(
        _ operation: FileSystemError.Operation, _ name: String
    ) -> FileSystemError {
        FileSystemError(operation, file: name, reason: .system(code: 2))
    }

    private mutating func newFile() -> FileNumber {
        nextFile += 1
        return FileNumber(rawValue: nextFile)
    }

    /// Behind the blocks at an offset that hold nothing but zeros; nil at the end.
    func contentStart(of file: FileNumber, from offset: Int) -> Int? {
        let bytes = content[file, default: []]
        guard offset < bytes.count else { return nil }
        guard let first = bytes[offset...].firstIndex(where: { $0 != 0 }) else { return nil }
        return max(offset, first / Self.holeBytes * Self.holeBytes)
    }

    private static let holeBytes = 64

    /// Far from the numbers of directories.
    func identity(of file: FileNumber) -> FileIdentity {
        FileIdentity(device: device, inode: UInt64(file.rawValue) + 1 << 32)
    }

    // MARK: Operations

    mutating func perform(_ operation: DiskOperation) {
        operations.append(operation)
        apply(operation)
    }

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .write(let file, let offset, let bytes):
            var content = self.content.removeValue(forKey: file) ?? []
            if content.count < offset + bytes.count {
                content += Array(repeating: 0, count: offset + bytes.count - content.count)
            }
            content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            self.content[file] = content
        case .truncate(let file, let length):
            let content = self.content[file, default: []]
            self.content[file] =
                Array(content.prefix(length))
                + Array(repeating: 0, count: max(0, length - content.count))
        case .link(let directory, let name, let file):
            entries[directory, default: [:]][name] = file
            nextFile = max(nextFile, file.rawValue)
        case .rename(let directory, let name, let newName, let file):
            entries[directory, default: [:]][name] = nil
            entries[directory, default: [:]][newName] = file
        case .remove(let directory, let name):
            entries[directory, default: [:]][name] = nil
        case .revert(let file, let bytes): content[file] = bytes
        case .synchronize, .synchronizeAndFail, .synchronizeDirectory, .nothing: break
        }
    }

    mutating func synchronize(_ file: FileNumber, name: String) throws(FileSystemError) {
        defer { syncs += 1 }
        let failure = FileSystemError(.synchronize, file: name, reason: .system(code: 5))
        if lateReport == file {
            lateReport = nil
            perform(.synchronizeAndFail(file))
            throw failure
        }
        guard let (after, style) = syncFailure else { return perform(.synchronize(file)) }
        guard after == 0 else {
            syncFailure = (after - 1, style)
            return perform(.synchronize(file))
        }
        syncFailure = nil
        let safe = style == .reverted ? safeContent(of: file) : []
        perform(.synchronizeAndFail(file))
        switch style {
        case .forgotten: throw failure
        case .reverted:
            perform(.revert(file, safe))
            throw failure
        case .reportedLate: lateReport = file
        case .swallowed: break
        }
    }

    /// The bytes of a file that a power cut could not take, as long as the file is now.
    private func safeContent(of file: FileNumber) -> [UInt8] {
        let pending = Set(SimulatedDisk.pending(operations, before: operations.count))
        var disk = atStart
        for (index, operation) in operations.enumerated() where operation.isChange {
            if !pending.contains(index) { disk.apply(operation) }
        }
        let length = content[file, default: []].count
        let safe = disk.content[file, default: []].prefix(length)
        return Array(safe) + Array(repeating: 0, count: length - safe.count)
    }

    // MARK: Locks

    mutating func lock(_ file: FileNumber, _ kind: FileLockKind, held: FileLockKind?) -> Bool {
        if let held { unlock(file, held) }
        var lock = locks[file] ?? (shared: 0, exclusive: false)
        switch kind {
        case .exclusive where lock.shared == 0 && !lock.exclusive: lock.exclusive = true
        case .shared where !lock.exclusive: lock.shared += 1
        default: return false
        }
        locks[file] = lock
        return true
    }

    mutating func unlock(_ file: FileNumber, _ kind: FileLockKind) {
        guard var lock = locks[file] else { return }
        switch kind {
        case .exclusive: lock.exclusive = false
        case .shared: lock.shared -= 1
        }
        locks[file] = lock
    }
}
