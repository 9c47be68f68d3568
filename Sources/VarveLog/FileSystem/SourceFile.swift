/// A file outside of any store, whose content one is to take.
package final class SourceFile {
    private let file: POSIXFile
    private let path: String
    private let status: POSIX.Status

    /// Opens the file at a path, through whatever links lead to it.
    ///
    /// Errors: `.notAPlainFile` for a directory, pipe or device.
    package init(_ path: String) throws(FileSystemError) {
        self.path = path
        file = try wrapping(.open, path) { () throws(POSIXFailure) in
            POSIXFile(try POSIX.openFile(at: path), name: path)
        }
        status = try file.status()
        guard status.isRegular else {
            throw FileSystemError(.open, file: path, reason: .notAPlainFile)
        }
    }

    /// Which file it is, whatever path led to it.
    package var identity: FileIdentity { status.identity }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int { try file.read(into: buffer, at: offset) }

    /// Lets an empty file of a store share the blocks of this one. False where the file system cannot.
    package func clone(to target: any StoreFile) -> Bool {
        (target as? POSIXFile)?.clone(file) ?? false
    }

    /// Makes content and length safe from a power cut.
    package func synchronize() throws(FileSystemError) { try file.synchronize() }

    /// Gives the file a free name in a store's directory. False, and nothing has happened, where it cannot move: it has
    /// another link, is on another file system or another user's, is no longer the one at the path, or has changed
    /// since it was opened; or the name is taken.
    ///
    /// - Parameter conclude: what must succeed behind the move. Where it throws, the file moves back to its path.
    package func move(
        to name: String, in directory: any FileSystem,
        _ conclude: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) -> Bool {
        guard let directory = directory as? POSIXFileSystem, try isMovable() else { return false }
        do throws(FileSystemError) {
            try directory.takeOver(path, as: name)
        } catch {
            return false
        }
        // This may be the only copy of the content: on every way out but one it goes back.
        do throws(FileSystemError) {
            if try isSettled(as: name, in: directory) {
                try conclude()
                return true
            }
        } catch {
            try directory.moveOut(name, to: path)
            throw error
        }
        try directory.moveOut(name, to: path)
        return false
    }

    /// Whether the file that got the name is the one that was opened, is still as it was then, and is private now.
    /// Between the look at the path and the move another program may have put another file there.
    private func isSettled(
        as name: String, in directory: POSIXFileSystem
    ) throws(FileSystemError) -> Bool {
        guard try directory.identity(of: name) == status.identity,
            try isUnchanged(file.status())
        else { return false }
        do throws(FileSystemError) {
            try file.makePrivate()
            return true
        } catch {
            // It is another user's.
            return false
        }
    }

    private func isMovable() throws(FileSystemError) -> Bool {
        let now = try file.status()
        let named = try wrapping(.status, path) { () throws(POSIXFailure) in
            try POSIX.identity(at: path)
        }
        return now.isPlainFile && named == status.identity && isUnchanged(now)
    }

    private func isUnchanged(_ now: POSIX.Status) -> Bool {
        now.length == status.length && now.modifiedAt == status.modifiedAt
    }

    /// Removes the file at the path, if it is the one that was opened, and has not changed since.
    package func remove() throws(FileSystemError) {
        guard try isUnchanged(file.status()) else { return }
        try wrapping(.remove, path) { () throws(POSIXFailure) in
            guard try POSIX.identity(at: path) == status.identity else { return }
            try POSIX.remove(at: path)
        }
    }
}
