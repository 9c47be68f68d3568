import Foundation

/// A file that appears under its name when all of it is written.
struct NewFile {
    let path: String
    /// Whether a file of that name is replaced.
    let replaces: Bool

    private var temporaryPath: String { path + ".tmp-\(ProcessInfo.processInfo.processIdentifier)" }

    /// Throws where the file cannot be written: before what goes into it is made.
    func check(outside store: String) throws(OutputFailure) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        guard Self.place(of: directory.path) != Self.place(of: store) else {
            throw .failed(
                reason: "\(path) would be a file inside the store; choose another directory")
        }
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        if information.st_mode & S_IFMT == S_IFDIR {
            throw .failed(reason: "\(path) is a directory")
        }
        guard replaces else { throw Self.exists(path) }
    }

    func write(_ text: String) throws(OutputFailure) {
        try write { sink throws(OutputFailure) in try sink.write(text) }
    }

    /// Lets `body` write the file piece by piece.
    func write(
        _ body: (any OutputSink) throws(OutputFailure) -> Void
    ) throws(OutputFailure) {
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure() }
        do throws(OutputFailure) {
            try fill(descriptor, body)
            try takeName()
        } catch {
            unlink(temporaryPath)
            throw error
        }
    }

    private func fill(
        _ descriptor: Int32, _ body: (any OutputSink) throws(OutputFailure) -> Void
    ) throws(OutputFailure) {
        let sink = FileSink(descriptor: descriptor)
        do throws(OutputFailure) {
            try body(sink)
            try sink.flush()
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw failure() }
    }

    /// A link, and not a renaming, fails where the name was taken meanwhile.
    private func takeName() throws(OutputFailure) {
        if !replaces, link(temporaryPath, path) == 0 {
            unlink(temporaryPath)
            return
        }
        if !replaces, errno == EEXIST { throw Self.exists(path) }
        guard rename(temporaryPath, path) == 0 else { throw failure() }
    }

    private func failure() -> OutputFailure {
        .failed(reason: "\(path): \(String(cString: strerror(errno)))")
    }

    private static func exists(_ path: String) -> OutputFailure {
        .failed(reason: "\(path) exists; --force replaces it")
    }

    /// Device and number of a directory, which has many names.
    private static func place(of directory: String) -> [UInt64]? {
        var information = stat()
        guard stat(directory, &information) == 0 else { return nil }
        return [UInt64(information.st_dev), UInt64(information.st_ino)]
    }
}
