/// A directory that appears under its name as a whole or not at all: it is filled inside another
/// directory beside it, and moved from there.
///
/// That other directory is of one attempt alone, which holds a lock in it, so that attempts at the same
/// name do not touch each other's files, and each can remove what an interrupted one has left.
package struct NewDirectory {
    private static let contentName = "content"

    private let parent: POSIXFileSystem
    private let name: String
    private let path: String
    private let environment = SystemEnvironment()

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
        removeLeftovers()
        let attempt = try begin()
        defer { end(attempt) }
        let result = try body(attempt.directory.subdirectory(Self.contentName))
        do throws(FileSystemError) {
            try parent.move(Self.contentName, from: attempt.directory, to: name)
            try parent.synchronizeDirectory()
        } catch {
            // Another attempt may have been first.
            try requireVacant()
            throw .fileSystem(error)
        }
        return result
    }

    private func requireVacant() throws(LogError) {
        let names = try LogError.wrapping { () throws(FileSystemError) in
            _ = try parent.identity()
            return try POSIXFileSystem(path).list()
        }
        guard names?.isEmpty ?? true else { throw .targetExists(directory: path) }
    }

    // MARK: Attempts

    /// The directory of one attempt, locked.
    private struct Attempt {
        let name: String
        let directory: POSIXFileSystem
        let lock: DirectoryLock
    }

    private func begin() throws(LogError) -> Attempt {
        let digits = String(environment.randomSalt(), radix: 16)
        let name = prefix + String(repeating: "0", count: 16 - digits.count) + digits
        let directory = try LogError.wrapping { () throws(FileSystemError) in
            guard try parent.createSubdirectory(name) else {
                throw FileSystemError(
                    .createDirectory, file: name, reason: .system(code: POSIX.alreadyThere))
            }
            return parent.directory(name)
        }
        return Attempt(
            name: name, directory: directory,
            lock: try DirectoryLock.acquire(in: directory, environment: environment))
    }

    /// Removes the directory of an attempt, with what it holds of a store.
    private func end(_ attempt: Attempt) {
        StoreOutput.discard(attempt.directory.subdirectory(Self.contentName))
        attempt.directory.removeEmptyDirectory(Self.contentName)
        StoreOutput.discard(attempt.directory)
        attempt.lock.release()
        parent.removeEmptyDirectory(attempt.name)
    }

    /// Removes what interrupted attempts have left. Whatever stands in the way of that stays: it does
    /// this attempt no harm.
    private func removeLeftovers() {
        do throws(FileSystemError) {
            for name in try parent.list() ?? [] where isAttempt(name) { removeLeftover(name) }
        } catch {
            // The attempt itself meets the same, and tells it.
        }
    }

    private func removeLeftover(_ name: String) {
        let directory = parent.directory(name)
        do throws(LogError) {
            let lock = try DirectoryLock.acquire(in: directory, environment: environment)
            end(Attempt(name: name, directory: directory, lock: lock))
        } catch {
            // Its attempt is under way.
        }
    }

    private var prefix: String { name + ".partial-" }

    private func isAttempt(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return digits.count == 16
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
