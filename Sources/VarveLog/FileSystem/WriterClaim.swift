/// What a writer must still hold for its writes to count: the lock file that it has locked, and the segment that it
/// appends to, each under its name in the directory.
///
/// A lock on a file that was removed or replaced keeps no second writer out, and bytes in a file without a name are in
/// no store. Neither is an error to the system: only a look at the names tells. Any thread may look.
package struct WriterClaim: Sendable {
    private let fileSystem: any FileSystem
    private let lock: HeldFile

    init(_ fileSystem: any FileSystem, lock: HeldFile) {
        self.fileSystem = fileSystem
        self.lock = lock
    }

    /// Throws `.displaced` where the lock file or the segment is not the writer's any more.
    func check(_ segment: HeldFile) throws(LogError) {
        try checkLock()
        try check(is: segment)
    }

    /// The lock file alone: for what touches no segment.
    func checkLock() throws(LogError) { try check(is: lock) }

    private func check(is held: HeldFile) throws(LogError) {
        let found = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.identity(of: held.name)
        }
        guard found != held.identity else { return }
        throw .displaced(file: held.name, isReplaced: found != nil)
    }
}

/// A file that is open, with the name that it must have. An object, because every sync is given one.
final class HeldFile: Sendable {
    let name: String
    let identity: FileIdentity

    init(name: String, identity: FileIdentity) {
        self.name = name
        self.identity = identity
    }
}
