import Foundation

/// A file or a folder that appears under its name as a whole or not at all, and replaces nothing unless that is
/// wanted.
struct OutputFile {
    let path: String
    let replaces: Bool

    /// Lets `body` write the file.
    func write(
        _ body: (any OutputSink) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        // Into a pipe or a device one writes; to replace it would be something else.
        if kind == .other { return try fill(body) }
        var failure: ToolFailure?
        do throws(OutputFailure) {
            try requireVacant()
            try NewFile(path: path, replaces: replaces).write { sink throws(OutputFailure) in
                do throws(ToolFailure) {
                    try body(sink)
                } catch {
                    failure = error
                    throw .closed
                }
            }
        } catch {
            throw failure ?? .output(error)
        }
    }

    /// Lets `body` fill a folder, which it is given the path of.
    ///
    /// - Parameter mark: a file that a folder must have to be replaced.
    func writeFolder(
        markedBy mark: String, _ body: (String) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let files = FileManager.default
        if kind != .absent {
            do throws(OutputFailure) {
                try requireVacant()
            } catch {
                throw .output(error)
            }
            let names = (try? files.contentsOfDirectory(atPath: path)) ?? [""]
            guard names.isEmpty || names.contains(mark) else {
                throw failure("it is there, and no export: it is not replaced")
            }
        }
        let partial = partialPath
        guard mkdir(partial, 0o777) == 0 else { throw failure("it cannot be made") }
        do throws(ToolFailure) {
            try body(partial)
            if kind != .absent { try? files.removeItem(atPath: path) }
            guard rename(partial, path) == 0 else { throw failure("it cannot be given its name") }
        } catch {
            try? files.removeItem(atPath: partial)
            throw error
        }
    }

    // MARK: Parts

    private enum Kind { case absent, file, folder, other }

    private var kind: Kind {
        var status = stat()
        guard stat(path, &status) == 0 else { return .absent }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    /// Beside the file, so that it can be moved to its name.
    private var partialPath: String { path + ".partial-\(getpid())" }

    private func requireVacant() throws(OutputFailure) {
        guard kind == .absent || replaces else {
            throw .failed(reason: "\(path) exists; --force replaces it")
        }
    }

    private func failure(_ reason: String) -> ToolFailure {
        .output(.failed(reason: "\(path): \(reason)"))
    }

    private func fill(
        _ body: (any OutputSink) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let descriptor = open(path, O_WRONLY)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let sink = FileSink(descriptor: descriptor)
        try body(sink)
        do throws(OutputFailure) {
            try sink.flush()
        } catch {
            throw .output(error)
        }
    }
}
