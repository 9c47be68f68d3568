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
    case synchronizeDirectory(DirectoryNumber)

    /// What a sync makes safe.
    enum Subject: Hashable {
        case content(FileNumber)
        case names(DirectoryNumber)
    }

    var subject: Subject {
        switch self {
        case .write(let file, _, _), .truncate(let file, _), .synchronize(let file),
            .synchronizeAndFail(let file):
            .content(file)
        case .link(let directory, _, _), .rename(let directory, _, _, _),
            .remove(let directory, _), .synchronizeDirectory(let directory):
            .names(directory)
        }
    }

    package var isSync: Bool {
        switch self {
        case .synchronize, .synchronizeDirectory: true
        default: false
        }
    }
}

/// The files of a disk by path: "segment-0000000001", "lost/…".
package struct DiskImage: Hashable, Sendable {
    package var files: [String: [UInt8]]

    package init(_ files: [String: [UInt8]] = [:]) {
        self.files = files
    }
}

/// What a running system knows of a disk.
struct SimulatedDiskState: Sendable {
    let device: UInt64
    private(set) var operations: [DiskOperation] = []
    var content: [FileNumber: [UInt8]] = [:]
    private var entries: [DirectoryNumber: [String: FileNumber]] = [:]
    /// Directories are safe from the start: what they hold is what the log's safety rests on.
    private var directories: [String: DirectoryNumber] = ["": DirectoryNumber(0)]
    private var existing: Set<DirectoryNumber> = []
    private var locks: [FileNumber: (shared: Int, exclusive: Bool)] = [:]
    private var nextFile = 0
    var failsNextSynchronize = false
    private let start: DiskImage

    /// Two disks are never the same directory, nor one of a real device.
    private static let nextDevice = Lock<UInt64>(1 << 63)

    init(image: DiskImage) {
        device = Self.nextDevice.withLock { next in
            next += 1
            return next
        }
        start = image
        existing.insert(DirectoryNumber(0))
        for path in image.files.keys.sorted() {
            let parts = path.split(separator: "/").map { String($0) }
            let directory =
                parts.count == 1
                ? DirectoryNumber(0) : directoryNumber(parts[0], in: DirectoryNumber(0))
            existing.insert(directory)
            let file = newFile()
            content[file] = image.files[path]
            entries[directory, default: [:]][parts[parts.count - 1]] = file
        }
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
        var state = SimulatedDiskState(image: start)
        state.directories = directories
        state.existing = existing
        return state
    }

    // MARK: Names

    mutating func directoryNumber(_ name: String, in parent: DirectoryNumber) -> DirectoryNumber {
        precondition(parent == DirectoryNumber(0), "the simulated disk is two levels deep")
        if let number = directories[name] { return number }
        let number = DirectoryNumber(directories.count)
        directories[name] = number
        return number
    }

    mutating func createDirectory(_ directory: DirectoryNumber) {
        existing.insert(directory)
    }

    func names(in directory: DirectoryNumber) -> [String]? {
        guard existing.contains(directory) else { return nil }
        let names = entries[directory, default: [:]].keys.sorted()
        let inner = directory == DirectoryNumber(0) ? directories.keys.filter { !$0.isEmpty } : []
        return names + inner.filter { existing.contains(directories[$0] ?? directory) }.sorted()
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
        case .rename(let directory, let name, let newName, let file):
            entries[directory, default: [:]][name] = nil
            entries[directory, default: [:]][newName] = file
        case .remove(let directory, let name):
            entries[directory, default: [:]][name] = nil
        case .synchronize, .synchronizeAndFail, .synchronizeDirectory: break
        }
    }

    mutating func synchronize(_ file: FileNumber, name: String) throws(FileSystemError) {
        guard failsNextSynchronize else {
            perform(.synchronize(file))
            return
        }
        failsNextSynchronize = false
        perform(.synchronizeAndFail(file))
        throw FileSystemError(.synchronize, file: name, reason: .system(code: 5))
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
