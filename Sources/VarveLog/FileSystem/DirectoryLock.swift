/// The right to write to a store: an advisory lock on its `LOCK` file, which the system gives back
/// when the process ends however it ends. The file is never removed: a lock on a removed file
/// would exclude nobody.
package final class DirectoryLock {
    /// The directories that this process holds, by identity, so that no other path to one of them
    /// gets around the lock on file systems where a process does not exclude itself. With the
    /// process that took each: what a forked process inherits is not its own.
    private static let held = Lock<[Holding]>([])

    private struct Holding: Equatable, Sendable {
        let directory: FileIdentity
        let process: Int32
    }

    /// For looks at whether the lock still keeps others out.
    let claim: WriterClaim
    private let holding: Holding
    let file: any StoreFile
    private let environment: any LogEnvironment
    private var isHeld = true
    var hasGivenUpRoom = false

    private init(
        _ holding: Holding, _ file: any StoreFile, _ claim: WriterClaim,
        _ environment: any LogEnvironment
    ) {
        self.holding = holding
        self.file = file
        self.claim = claim
        self.environment = environment
    }

    deinit {
        release()
    }

    /// Takes the lock or says who has it. Never waits for long.
    package static func acquire(
        in fileSystem: any FileSystem, environment: any LogEnvironment
    ) throws(LogError) -> DirectoryLock {
        let directory = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.identity()
        }
        let holding = Holding(directory: directory, process: environment.processID())
        guard note(holding) else {
            throw .locked(directory: fileSystem.displayPath, holder: environment.lockHolder)
        }
        do throws(LogError) {
            return try acquireFile(in: fileSystem, holding, environment)
        } catch {
            held.withLock { $0.removeAll { $0 == holding } }
            throw error
        }
    }

    /// False where this process has the directory. A store that the application has released may be held by a timer of
    /// its own for another moment: threads like that are offered the processor first. No longer than a tenth of a
    /// second: on a busy machine each offer may take as long as a thread computes.
    private static func note(_ holding: Holding) -> Bool {
        let start = ContinuousClock.now
        for _ in 0..<1000 {
            let isNew = held.withLock { held in
                if held.contains(holding) { return false }
                held.append(holding)
                return true
            }
            if isNew { return true }
            guard ContinuousClock.now - start < .milliseconds(100) else { return false }
            POSIX.yieldProcessor()
        }
        return false
    }

    /// Somebody holds the store open for writing.
    package static func isHeld(in fileSystem: any FileSystem) throws(LogError) -> Bool {
        do throws(FileSystemError) {
            let file = try fileSystem.open(StoreFileName.lock.text, .read)
            guard try file.lock(.shared) else { return true }
            try file.unlock()
            return false
        } catch {
            if error.isNotFound { return false }
            throw .fileSystem(error)
        }
    }

    /// The process that holds the store open for writing; nil where none does. Throws where the lock cannot be
    /// examined: a process with other rights may hold it.
    static func holder(in fileSystem: any FileSystem) throws(LogError) -> LockHolder? {
        do throws(LogError) {
            guard try isHeld(in: fileSystem) else { return nil }
        } catch .fileSystem(let error) where error.reason == .notAPlainFile {
            // No writer takes such a lock.
            return nil
        } catch {
            throw error
        }
        return LockNote.holder { () throws(FileSystemError) in
            try fileSystem.open(StoreFileName.lock.text, .read)
        }
    }

    /// Gives the lock back. Safe to call twice.
    ///
    /// A process that was forked from the holder only closes its copy: unlocking would take the
    /// lock from its parent, because both mean the same open file.
    package func release() {
        guard isHeld else { return }
        isHeld = false
        // Closing gives the lock back even where unlocking fails.
        if environment.processID() == holding.process { try? file.unlock() }
        // Only a name was written, for messages: there is nothing to lose.
        try? file.close()
        Self.held.withLock { $0.removeAll { $0 == holding } }
    }

    private static func acquireFile(
        in fileSystem: any FileSystem, _ holding: Holding,
        _ environment: any LogEnvironment
    ) throws(LogError) -> DirectoryLock {
        for _ in 0..<attemptsMax {
            let file = try openFile(in: fileSystem)
            let isLocked = try LogError.wrapping { () throws(FileSystemError) in
                try lockExclusively(file)
            }
            guard isLocked else {
                throw .locked(
                    directory: fileSystem.displayPath, holder: LockNote.holder { file })
            }
            let claim = WriterClaim(fileSystem, lock: try held(file))
            do throws(LogError) {
                try claim.checkLock()
            } catch .displaced {
                // Replaced between its opening and its locking: the other file is the one to lock.
                continue
            } catch {
                throw error
            }
            try LogError.wrapping { () throws(FileSystemError) in
                try LockNote.write(environment.lockHolder, to: file)
            }
            return DirectoryLock(holding, file, claim, environment)
        }
        throw .displaced(file: StoreFileName.lock.text, isReplaced: true)
    }

    private static let attemptsMax = 100

    private static func openFile(
        in fileSystem: any FileSystem
    ) throws(LogError) -> any StoreFile {
        do throws(FileSystemError) {
            return try fileSystem.open(StoreFileName.lock.text, .createIfMissing)
        } catch {
            guard error.isRefusal else { throw .fileSystem(error) }
            throw .notWritable(directory: fileSystem.displayPath, error)
        }
    }

    private static func held(_ file: any StoreFile) throws(LogError) -> HeldFile {
        HeldFile(
            name: StoreFileName.lock.text,
            identity: try LogError.wrapping { () throws(FileSystemError) in try file.identity() })
    }

    /// Readers look at the lock by taking it shared for a moment. Where that succeeds for us too,
    /// nobody is writing, and we try again instead of reporting a holder who is none.
    private static func lockExclusively(_ file: any StoreFile) throws(FileSystemError) -> Bool {
        for _ in 0..<1000 {
            if try file.lock(.exclusive) { return true }
            guard try file.lock(.shared) else { return false }
            try file.unlock()
            POSIX.yieldProcessor()
        }
        return false
    }
}

/// Who holds the lock, written into the lock file for the message to the next one. Always of one
/// length, so that writing it needs no space on a full disk.
enum LockNote {
    static let byteCount = 256

    static func write(_ holder: LockHolder, to file: any StoreFile) throws(FileSystemError) {
        let program = holder.program ?? ""
        let text = "pid \(holder.processID ?? 0)\nprogram \(program)\n"
        var bytes = Array(text.utf8.prefix(byteCount - 1))
        bytes += Array(repeating: UInt8(ascii: " "), count: byteCount - 1 - bytes.count)
        bytes.append(UInt8(ascii: "\n"))
        try bytes.withUnsafeBytesTyped { buffer throws(FileSystemError) in
            try file.writeAll(buffer, at: FrameOffset(0), name: StoreFileName.lock.text)
        }
    }

    /// The process that the note of a held lock names. A note that cannot be read names none, and the lock is held all
    /// the same.
    static func holder(of open: () throws(FileSystemError) -> any StoreFile) -> LockHolder {
        do throws(FileSystemError) {
            return try read(from: try open())
        } catch {
            return LockHolder(processID: nil, program: nil)
        }
    }

    /// Anything may be in the file; what is not a note names no process.
    private static func read(from file: any StoreFile) throws(FileSystemError) -> LockHolder {
        let count = Int(min(try file.length().rawValue, UInt64(byteCount)))
        let bytes = try file.readBytes(
            at: FrameOffset(0), count: count, name: StoreFileName.lock.text)
        var processID: Int32?
        var program: String?
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("pid ") { processID = Int32(line.dropFirst(4)) }
            if line.hasPrefix("program ") { program = String(line.dropFirst(8)) }
        }
        return LockHolder(processID: processID, program: program)
    }
}

extension LogEnvironment {
    /// This process, as others will be told about it.
    var lockHolder: LockHolder {
        LockHolder(processID: processID(), program: processName())
    }
}
