import Foundation

/// A file or a folder that appears under its name as a whole or not at all, and replaces nothing unless that is
/// wanted.
struct OutputFile {
    let path: String
    let replaces: Bool

    /// - Parameter path: slashes at its end are left out, so that what is beside the output is not inside of it.
    init(path: String, replaces: Bool) {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        self.path = String(decoding: bytes, as: UTF8.self)
        self.replaces = replaces
    }

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
    /// - Parameter mark: a file that a folder must have to be replaced, beside files of comma-separated values alone.
    func writeFolder(
        markedBy mark: String, _ body: (String) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        try requireReplaceableFolder(mark)
        let partial = path + ".partial-\(getpid())"
        guard mkdir(partial, 0o777) == 0 else { throw failure("it cannot be made") }
        do throws(ToolFailure) {
            try body(partial)
            // Another program may have made the folder in the meantime.
            try requireReplaceableFolder(mark)
            try move(partial)
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func requireReplaceableFolder(_ mark: String) throws(ToolFailure) {
        guard let name = path.split(separator: "/").last, name != ".", name != ".." else {
            throw failure("a folder is needed that can be renamed: give it a name")
        }
        guard kind != .absent else { return }
        do throws(OutputFailure) {
            try requireVacant()
        } catch {
            throw .output(error)
        }
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard let names, names.isEmpty || Self.areExported(names, mark) else {
            throw failure("it is there, and no export: it is not replaced")
        }
    }

    /// Whether an export has written all files of these names.
    private static func areExported(_ names: [String], _ mark: String) -> Bool {
        names.contains(mark)
            && names.allSatisfy { name in
                name == mark || name.utf8.suffix(4).elementsEqual(".csv".utf8)
            }
    }

    /// Gives a complete folder its name. The former one is removed when the new one is in place.
    private func move(_ partial: String) throws(ToolFailure) {
        let hasFormer = kind != .absent
        let former = path + ".former-\(getpid())"
        if hasFormer, rename(path, former) != 0 {
            throw failure("the former folder cannot be moved aside")
        }
        guard rename(partial, path) == 0 else {
            guard !hasFormer || rename(former, path) == 0 else {
                throw failure("it cannot be given its name; the former folder is \(former)")
            }
            throw failure("it cannot be given its name")
        }
        if hasFormer { try? FileManager.default.removeItem(atPath: former) }
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
