internal import CVarve

/// A directory of the real file system. It is opened at first use and stays open, so the files are
/// found again when somebody renames the directory.
package final class POSIXFileSystem: FileSystem {
    /// Where the directory is: a path, or a name inside an open directory, so that nobody can
    /// exchange the way to it in between.
    private enum Place: Sendable {
        case path(String)
        case inside(POSIXFileSystem, name: String)
    }

    private static let namesMax = 1_000_000
    /// How many paths a file that moves out tries.
    private static let pathsMax = 10

    private let place: Place
    /// Open from first use on.
    private let descriptor = Lock<Int32?>(nil)

    /// The directory at `path`, which need not exist yet. Opens nothing.
    package init(_ path: String) {
        place = .path(path)
    }

    private init(_ place: Place) {
        self.place = place
    }

    deinit {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        // Reading a directory leaves nothing behind that closing it could lose.
        try? POSIX.closeDescriptor(descriptor)
    }

    package var displayPath: String {
        switch place {
        case .path(let path): path
        case .inside(let parent, let name): parent.displayPath + "/" + name
        }
    }

    package func createDirectory() throws(FileSystemError) {
        try wrapping(.createDirectory, displayPath) { () throws(POSIXFailure) in
            switch place {
            case .path(let path):
                guard try POSIX.makeDirectory(path) else { return }
                let parent = try POSIX.openParent(of: opened())
                // It was only read from: closing it can lose nothing.
                defer { try? POSIX.closeDescriptor(parent) }
                try POSIX.synchronizeDirectory(parent)
            case .inside(let parent, let name):
                let directory = try parent.opened()
                guard try POSIX.makeDirectory(name, in: directory) else { return }
                try POSIX.synchronizeDirectory(directory)
            }
        }
    }

    package func list() throws(FileSystemError) -> [String]? {
        let names: [String]?
        do {
            names = try POSIX.names(in: opened(), limit: Self.namesMax)
        } catch {
            if error.code == POSIX.notFound { return nil }
            throw FileSystemError(.list, file: displayPath, reason: .system(code: error.code))
        }
        guard let names else {
            throw FileSystemError(.list, file: displayPath, reason: .tooManyFiles)
        }
        return names
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        Self.requireComponent(name)
        let file: POSIXFile
        do {
            file = POSIXFile(try POSIX.openFile(name, in: opened(), mode), name: name)
        } catch {
            throw FileSystemError(
                .open, file: name,
                reason: POSIX.codesOfOtherThanFiles.contains(error.code)
                    ? .notAPlainFile : .system(code: error.code))
        }
        let status = try file.status()
        guard !status.isRemoved else {
            // By a compaction, between its opening and the look at it: it is not there, as it would
            // not have been a moment later.
            throw FileSystemError(
                .open, file: name, reason: .system(code: POSIX.notFound))
        }
        guard status.isPlainFile else {
            throw FileSystemError(.open, file: name, reason: .notAPlainFile)
        }
        return file
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        Self.requireComponent(name)
        Self.requireComponent(newName)
        try wrapping(.rename, name) { () throws(POSIXFailure) in
            try POSIX.rename(name, to: newName, in: opened())
        }
    }

    package func rename(
        _ name: String, to newName: String, inSubdirectory subdirectory: String
    ) throws(FileSystemError) {
        try directory(subdirectory).move(name, from: self, to: newName)
    }

    /// Moves something out of another directory of the same file system.
    func move(
        _ name: String, from directory: POSIXFileSystem, to newName: String
    ) throws(FileSystemError) {
        Self.requireComponent(name)
        Self.requireComponent(newName)
        try wrapping(.rename, name) { () throws(POSIXFailure) in
            try POSIX.rename(name, in: directory.opened(), to: newName, in: opened())
        }
    }

    /// Gives the file at a path, of the same file system, a name in this directory. Replaces nothing.
    func takeOver(_ path: String, as name: String) throws(FileSystemError) {
        Self.requireComponent(name)
        try wrapping(.rename, path) { () throws(POSIXFailure) in
            try POSIX.rename(at: path, toNew: name, in: opened())
        }
    }

    /// Undoes ``takeOver(_:as:)``. What has come to the path meanwhile is not replaced: the file gets the path with a
    /// number then, and the error says so. Where it stays in this directory, the error names both places.
    func moveOut(_ name: String, to path: String) throws(FileSystemError) {
        Self.requireComponent(name)
        for attempt in 0..<Self.pathsMax {
            let free = attempt == 0 ? path : "\(path).\(attempt)"
            do throws(POSIXFailure) {
                try POSIX.rename(name, in: opened(), toNewPath: free)
            } catch {
                if error.code == POSIX.alreadyThere { continue }
                throw stranded(name, path, error.code)
            }
            guard attempt > 0 else { return }
            throw FileSystemError(
                .rename, file: "an asset back to \(path) (it is \(free) now)",
                reason: .system(code: POSIX.alreadyThere))
        }
        throw stranded(name, path, POSIX.alreadyThere)
    }

    private func stranded(_ name: String, _ path: String, _ code: Int32) -> FileSystemError {
        FileSystemError(
            .rename, file: "\(displayPath)/\(name) back to \(path)", reason: .system(code: code))
    }

    package func remove(_ name: String) throws(FileSystemError) {
        Self.requireComponent(name)
        try wrapping(.remove, name) { () throws(POSIXFailure) in
            try POSIX.remove(name, in: opened())
        }
    }

    /// Removes an empty directory inside this one, if it can be: for tidying up.
    func removeEmptyDirectory(_ name: String) {
        Self.requireComponent(name)
        do throws(POSIXFailure) {
            try POSIX.removeDirectory(name, in: opened())
        } catch {
            // It is not empty, or not there: nothing to tidy up, or for somebody to look at.
        }
    }

    package func synchronizeDirectory() throws(FileSystemError) {
        try wrapping(.synchronizeDirectory, displayPath) { () throws(POSIXFailure) in
            try POSIX.synchronizeDirectory(opened())
        }
    }

    package func identity() throws(FileSystemError) -> FileIdentity {
        try wrapping(.status, displayPath) { () throws(POSIXFailure) in
            try POSIX.status(opened()).identity
        }
    }

    package func identity(of name: String) throws(FileSystemError) -> FileIdentity? {
        Self.requireComponent(name)
        return try wrapping(.status, name) { () throws(POSIXFailure) in
            try POSIX.identity(of: name, in: opened())
        }
    }

    package func subdirectory(_ name: String) -> any FileSystem { directory(name) }

    package func openUnnamedFile() -> Int32? {
        do throws(POSIXFailure) {
            let file = varve_open_unnamed(try opened())
            return file < 0 ? nil : file
        } catch {
            // What would be in the file stays in memory. Whatever needs the directory says what is wrong with it.
            return nil
        }
    }

    func directory(_ name: String) -> POSIXFileSystem {
        Self.requireComponent(name)
        return POSIXFileSystem(.inside(self, name: name))
    }

    /// Makes a directory inside this one; false where there is something of that name.
    func createSubdirectory(_ name: String) throws(FileSystemError) -> Bool {
        Self.requireComponent(name)
        return try wrapping(.createDirectory, name) { () throws(POSIXFailure) in
            try POSIX.makeDirectory(name, in: opened())
        }
    }

    private func opened() throws(POSIXFailure) -> Int32 {
        try descriptor.withLock { descriptor throws(POSIXFailure) in
            if let descriptor { return descriptor }
            let opened =
                switch place {
                case .path(let path): try POSIX.openDirectory(path)
                case .inside(let parent, let name):
                    try POSIX.openDirectory(name, in: parent.opened())
                }
            descriptor = opened
            return opened
        }
    }

    private static func requireComponent(_ name: String) {
        precondition(
            !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && name != "." && name != "..",
            "a file name is one component of the store's directory")
    }
}

/// Gives a failed system call the operation and the file that it was about.
func wrapping<Result>(
    _ operation: FileSystemError.Operation, _ file: String,
    _ body: () throws(POSIXFailure) -> Result
) throws(FileSystemError) -> Result {
    do {
        return try body()
    } catch {
        throw FileSystemError(operation, file: file, reason: .system(code: error.code))
    }
}
