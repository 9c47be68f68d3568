package import VarveText

/// An operation that the file system refused or did not complete.
public struct FileSystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done with a file.
    public enum Operation: String, Sendable {
        /// Creating a directory.
        case createDirectory = "create the directory"
        /// Listing a directory.
        case list = "list"
        /// Opening a file.
        case open = "open"
        /// Reading from a file.
        case read = "read"
        /// Writing to a file.
        case write = "write"
        /// Giving a file another length.
        case truncate = "shorten"
        /// Making the bytes of a file safe from a power cut.
        case synchronize = "synchronize"
        /// Making the names of a directory safe from a power cut.
        case synchronizeDirectory = "synchronize the directory of"
        /// Reading length and kind of a file.
        case status = "examine"
        /// Locking a file.
        case lock = "lock"
        /// Giving a file another name.
        case rename = "rename"
        /// Removing a file.
        case remove = "remove"
        /// Closing a file.
        case close = "close"
    }

    /// Why it was not done.
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

    /// What was to be done.
    public let operation: Operation
    /// The name inside the store's directory, or the directory's path.
    public let file: String
    /// Why it was not done.
    public let reason: Reason

    /// An operation on a file that was not done.
    public init(_ operation: Operation, file: String, reason: Reason) {
        self.operation = operation
        self.file = file
        self.reason = reason
    }

    /// One sentence: operation, file and reason.
    public var description: String { message.text }

    package var message: ErrorMessage {
        ErrorMessage("cannot \(operation.rawValue) \(file): \(detail)", suggestion)
    }

    private var detail: String {
        switch reason {
        case .system(let code): POSIX.message(for: code)
        case .unexpectedEnd: "the file is shorter than it was a moment ago"
        case .nothingWritten: "the system took no bytes"
        case .notAPlainFile: "it is not a plain file with a single link"
        case .tooManyFiles: "the directory holds too many files"
        }
    }

    private var suggestion: String? {
        switch reason {
        case .system where isFullDisk:
            "make room on the disk, or copy the store to another: reading it needs none"
        case .notAPlainFile: "put the file itself in its place"
        case .system, .unexpectedEnd, .nothingWritten, .tooManyFiles: nil
        }
    }
}

extension FileSystemError {
    /// A file whose lock another opener does not release.
    package static func heldElsewhere(_ file: String) -> FileSystemError {
        FileSystemError(.lock, file: file, reason: .system(code: POSIX.heldElsewhere))
    }

    /// The file or directory does not exist.
    package var isNotFound: Bool { reason == .system(code: POSIX.notFound) }

    /// It is a file, or a link.
    package var isNotADirectory: Bool { isOne(of: POSIX.codesOfOtherThanDirectories) }

    /// The system does not let this process write there.
    var isRefusal: Bool { isOne(of: POSIX.codesOfRefusal) }

    /// There is no space left on the disk, or for this user.
    var isFullDisk: Bool { isOne(of: POSIX.codesOfFullDisk) }

    private func isOne(of codes: [Int32]) -> Bool {
        guard case .system(let code) = reason else { return false }
        return codes.contains(code)
    }
}
