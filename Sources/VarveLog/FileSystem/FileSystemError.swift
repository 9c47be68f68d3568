internal import VarveText

/// An operation that the file system refused or did not complete.
public struct FileSystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Operation: String, Sendable {
        case createDirectory = "create the directory"
        case list = "list"
        case open = "open"
        case read = "read"
        case write = "write"
        case truncate = "shorten"
        case synchronize = "synchronize"
        case synchronizeDirectory = "synchronize the directory of"
        case status = "examine"
        case lock = "lock"
        case rename = "rename"
        case remove = "remove"
        case close = "close"
    }

    public enum Reason: Hashable, Sendable {
        /// The operating system's error number.
        case system(code: Int32)
        /// The file ended before the bytes that it must hold.
        case unexpectedEnd
        /// A write that took no bytes and reported no error.
        case nothingWritten
        /// A symbolic link, directory, device or pipe, or a file with a second link.
        case notAPlainFile
        /// More names than a store can have.
        case tooManyFiles
    }

    public let operation: Operation
    /// The name inside the store's directory, or the directory's path.
    public let file: String
    public let reason: Reason

    public init(_ operation: Operation, file: String, reason: Reason) {
        self.operation = operation
        self.file = file
        self.reason = reason
    }

    public var description: String {
        let detail =
            switch reason {
            case .system(let code): POSIX.message(for: code)
            case .unexpectedEnd: "the file is shorter than it was a moment ago"
            case .nothingWritten: "the system took no bytes"
            case .notAPlainFile:
                "it is not a plain file with a single link; put the file itself in its place"
            case .tooManyFiles: "the directory holds too many files"
            }
        return "cannot \(operation.rawValue) \(file): \(detail)".escapedForDisplay
    }
}

extension FileSystemError {
    /// The file or directory does not exist.
    package var isNotFound: Bool { reason == .system(code: POSIX.notFound) }

    /// The system does not let this process write there.
    var isRefusal: Bool { isOne(of: POSIX.codesOfRefusal) }

    /// There is no space left on the disk, or for this user.
    var isFullDisk: Bool { isOne(of: POSIX.codesOfFullDisk) }

    private func isOne(of codes: [Int32]) -> Bool {
        guard case .system(let code) = reason else { return false }
        return codes.contains(code)
    }
}
