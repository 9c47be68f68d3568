/// A directory that appears under its name as a whole or not at all: it is filled under another
/// name beside it, and renamed.
package struct NewDirectory {
    private let parent: POSIXFileSystem
    private let name: String
    private let path: String
    private var partialName: String { name + ".partial" }

    /// The directory to be made at `path`, whose parent must exist.
    package init(_ path: String) {
        self.path = path
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        while parts.count > 1, parts.last?.isEmpty ?? false { parts.removeLast() }
        name = String(parts.last ?? "")
        let directory = parts.dropLast().joined(separator: "/")
        parent = POSIXFileSystem(
            parts.count == 1 ? "." : directory.isEmpty ? "/" : directory)
    }

    /// Lets `body` fill the directory, and gives it its name when that succeeded.
    ///
    /// Errors: `.targetExists` when there is something under the name, except for an empty
    /// directory.
    package func make<Result>(
        _ body: (any FileSystem) throws(LogError) -> Result
    ) throws(LogError) -> Result {
        guard !name.isEmpty, name != ".", name != ".." else { throw .targetExists(directory: path) }
        try requireVacant()
        let partial = parent.subdirectory(partialName)
        // What an interrupted attempt left.
        StoreOutput.discard(partial)
        do throws(LogError) {
            let result = try body(partial)
            try LogError.wrapping { () throws(FileSystemError) in
                try parent.rename(partialName, to: name)
                try parent.synchronizeDirectory()
            }
            return result
        } catch {
            StoreOutput.discard(partial)
            parent.removeEmptyDirectory(partialName)
            throw error
        }
    }

    private func requireVacant() throws(LogError) {
        let names = try LogError.wrapping { () throws(FileSystemError) in
            _ = try parent.identity()
            return try POSIXFileSystem(path).list()
        }
        guard names?.isEmpty ?? true else { throw .targetExists(directory: path) }
    }
}
