import Foundation

/// A file or a folder that a command writes. It appears under its name as a whole or not at all, and replaces nothing
/// unless that is wanted.
struct OutputFile {
    let path: String
    /// Whether what is there under that name is replaced.
    let replaces: Bool

    /// - Parameter path: slashes at its end are left out, so that what is beside the output is not inside of it.
    init(path: String, replaces: Bool) {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        self.path = String(decoding: bytes, as: UTF8.self)
        self.replaces = replaces
    }

    /// Whether the path names the standard output of the program.
    var isStandardOutput: Bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
    }

    /// What is replaced: of a link the file or folder that it leads to, and not the link.
    private var destination: String {
        switch kind {
        case .file, .folder: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        case .absent, .stream: path
        }
    }

    // MARK: Checking

    /// Throws where the output cannot be written: before what goes into it is made.
    ///
    /// - Parameters:
    ///   - store: the directory of the store, in which no other file may be.
    ///   - mark: of a folder, the file that one must have to be replaced, beside comma-separated values alone. Nil of a
    ///     file.
    func check(outside store: String, folderMarkedBy mark: String? = nil) throws(ToolFailure) {
        guard !isStandardOutput else { return }
        let place = Self.place(of: store)
        if place != nil,
            Self.ancestors(of: destination).contains(where: { Self.place(of: $0) == place })
        {
            throw failure("it would be a file inside the store; choose another directory")
        }
        if let mark { try checkFolder(mark) } else { try checkFile() }
    }

    private func checkFile() throws(ToolFailure) {
        switch kind {
        case .absent, .stream: break
        case .folder: throw failure("it is a directory")
        case .file: guard replaces else { throw exists }
        }
    }

    private func checkFolder(_ mark: String) throws(ToolFailure) {
        guard let name = path.split(separator: "/").last, name != ".", name != ".." else {
            throw failure("a folder is needed that can be renamed: give it a name")
        }
        guard kind != .absent else { return }
        guard replaces else { throw exists }
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

    /// The directory that the path lies in, and those around it.
    private static func ancestors(of path: String) -> [String] {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
            .resolvingSymlinksInPath()
        var directories = [parent.path]
        while let last = directories.last, last != "/" {
            directories.append((last as NSString).deletingLastPathComponent)
        }
        return directories
    }

    /// Device and number of a directory, which has many names. Nil where there is none.
    private static func place(of directory: String) -> [UInt64]? {
        var information = stat()
        guard stat(directory, &information) == 0 else { return nil }
        return [UInt64(information.st_dev), UInt64(information.st_ino)]
    }

    // MARK: Writing

    /// Lets `body` write the file piece by piece.
    func write(
        _ body: (any OutputSink) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        // Into a pipe or a device one writes; to replace it would be something else.
        if kind == .stream { return try fill(try descriptor(of: path, O_WRONLY), body) }
        try checkFile()
        try Interruption.deferring { () throws(ToolFailure) in try writeAnew(body) }
    }

    private func writeAnew(
        _ body: (any OutputSink) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let path = destination
        let partial = path + Self.partialSuffix
        let descriptor = try descriptor(of: partial, O_WRONLY | O_CREAT | O_EXCL)
        if let mode = Self.mode(of: path) { fchmod(descriptor, mode) }
        do throws(ToolFailure) {
            try fill(descriptor, body)
            try name(partial, path)
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// Who may read and write what is replaced: the same as before. Nil where there is nothing.
    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func descriptor(of path: String, _ flags: Int32) throws(ToolFailure) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failureOfSystem }
        return descriptor
    }

    private func fill(
        _ descriptor: Int32, _ body: (any OutputSink) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let sink = FileSink(descriptor: descriptor)
        do throws(ToolFailure) {
            try body(sink)
            try sink.flushing()
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw failureOfSystem }
    }

    /// A link, and not a renaming, fails where the name was taken meanwhile.
    private func name(_ partial: String, _ path: String) throws(ToolFailure) {
        if !replaces, link(partial, path) == 0 {
            unlink(partial)
            return
        }
        if !replaces, errno == EEXIST { throw exists }
        guard rename(partial, path) == 0 else { throw failureOfSystem }
    }

    /// Lets `body` fill a folder, which it is given the path of.
    ///
    /// - Parameter mark: see ``check(outside:folderMarkedBy:)``.
    func writeFolder(
        markedBy mark: String, _ body: (String) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        try checkFolder(mark)
        try Interruption.deferring { () throws(ToolFailure) in
            try writeFolderAnew(markedBy: mark, body)
        }
    }

    private func writeFolderAnew(
        markedBy mark: String, _ body: (String) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        let destination = destination
        let partial = destination + Self.partialSuffix
        guard mkdir(partial, 0o777) == 0 else { throw failureOfSystem }
        do throws(ToolFailure) {
            try body(partial)
            // Another program may have made the folder in the meantime.
            try checkFolder(mark)
            if let mode = Self.mode(of: destination) { chmod(partial, mode) }
            try move(partial, to: destination)
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    /// Gives a complete folder its name. The former one is removed when the new one is in place.
    private func move(_ partial: String, to path: String) throws(ToolFailure) {
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

    private static var partialSuffix: String { ".partial-\(getpid())" }

    private enum Kind {
        case absent, file, folder
        /// A pipe or a device, or one of the process's own open files.
        case stream
    }

    private var kind: Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .absent }
        if status.st_mode & S_IFMT == S_IFLNK {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
                .resolvingSymlinksInPath().path
            if parent == "/dev" || parent.hasPrefix("/proc/") { return .stream }
            // A link that leads nowhere has the name all the same.
            guard stat(path, &status) == 0 else { return .file }
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .stream
        }
    }

    private var exists: ToolFailure {
        .output(.failed(reason: "\(path) exists; --force replaces it"))
    }

    private var failureOfSystem: ToolFailure { failure(String(cString: strerror(errno))) }

    private func failure(_ reason: String) -> ToolFailure {
        .output(.failed(reason: "\(path): \(reason)"))
    }
}
