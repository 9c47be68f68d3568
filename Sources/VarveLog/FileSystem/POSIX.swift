internal import CVarve
import Synchronization

// The only file that imports the C library, so that a new platform changes nothing else.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error number of the operating system.
struct POSIXFailure: Error {
    let code: Int32
}

/// The C library's mutex beside the value that it guards. For locks only; see `ContendedLock` and, under
/// the thread sanitizer, `Lock`.
///
/// `@unchecked Sendable`: the value is reached by whoever holds the mutex only, and the mutex's memory is
/// allocated once, never moved, and freed with the object.
final class PlatformMutex<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Only for the thread that holds the mutex.
    var state: State

    init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "a mutex can be made")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    /// False where another thread holds it.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func unlock() { pthread_mutex_unlock(mutex) }
}

/// The system calls of the log, each repeated while signals interrupt it.
enum POSIX {
    static let notFound = ENOENT
    static let alreadyThere = EEXIST
    static let heldElsewhere = EWOULDBLOCK
    /// What opening something else than a plain file meets: a symbolic link, a socket, a directory.
    static let codesOfOtherThanFiles = [ELOOP, ENXIO, EISDIR]
    /// What listing something else than a directory meets.
    static let codesOfOtherThanDirectories = [ENOTDIR, ELOOP]
    static let codesOfRefusal = [EACCES, EPERM, EROFS]
    static let codesOfFullDisk = [ENOSPC, EDQUOT]

    static func message(for code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }

    // MARK: Directories

    static func openDirectory(_ path: String) throws(POSIXFailure) -> Int32 {
        try checked { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// A directory inside another, never through a symbolic link.
    static func openDirectory(_ name: String, in directory: Int32) throws(POSIXFailure) -> Int32 {
        try checked {
            openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        }
    }

    static func openParent(of directory: Int32) throws(POSIXFailure) -> Int32 {
        try checked { openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// Readable by the owner alone. False when something of that name is there already.
    static func makeDirectory(_ path: String) throws(POSIXFailure) -> Bool {
        try created { mkdir(path, 0o700) }
    }

    static func makeDirectory(_ name: String, in directory: Int32) throws(POSIXFailure) -> Bool {
        try created { mkdirat(directory, name, 0o700) }
    }

    private static func created(_ body: () -> Int32) throws(POSIXFailure) -> Bool {
        do {
            _ = try checked(body)
            return true
        } catch {
            guard error.code == EEXIST else { throw error }
            return false
        }
    }

    /// Nil when there are more than `limit` names.
    static func names(in directory: Int32, limit: Int) throws(POSIXFailure) -> [String]? {
        // A descriptor of its own: reading moves a position that duplicates would share.
        let own = try checked { openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(own) else {
            let failure = POSIXFailure(code: errno)
            close(own)
            throw failure
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            guard names.count < limit else { return nil }
            names.append(name)
        }
        guard errno == 0 else { throw POSIXFailure(code: errno) }
        return names
    }

    static func rename(
        _ name: String, to newName: String, in directory: Int32
    ) throws(POSIXFailure) {
        _ = try checked { renameat(directory, name, directory, newName) }
    }

    static func rename(
        _ name: String, in directory: Int32, to newName: String, in newDirectory: Int32
    ) throws(POSIXFailure) {
        _ = try checked { renameat(directory, name, newDirectory, newName) }
    }

    static func remove(_ name: String, in directory: Int32) throws(POSIXFailure) {
        _ = try checked { unlinkat(directory, name, 0) }
    }

    /// Only an empty one.
    static func removeDirectory(_ name: String, in directory: Int32) throws(POSIXFailure) {
        _ = try checked { unlinkat(directory, name, AT_REMOVEDIR) }
    }

    static func synchronizeDirectory(_ directory: Int32) throws(POSIXFailure) {
        try flush(directory) { fsync(directory) }
    }

    // MARK: Files

    /// Files are private to their owner. `O_NONBLOCK` keeps a planted pipe from blocking the open.
    static func openFile(
        _ name: String, in directory: Int32, _ mode: FileOpenMode
    ) throws(POSIXFailure) -> Int32 {
        let access: Int32 =
            switch mode {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .createExclusive: O_RDWR | O_CREAT | O_EXCL
            case .createIfMissing: O_RDWR | O_CREAT
            }
        return try checked {
            openat(directory, name, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
    }

    /// A file at a path, through whatever links lead to it.
    static func openFile(at path: String) throws(POSIXFailure) -> Int32 {
        try checked { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    }

    /// Gives the file at a path a name in a directory of the same file system, if the name is free.
    static func rename(
        at path: String, toNew newName: String, in directory: Int32
    ) throws(POSIXFailure) {
        _ = try checked { varve_rename_to_new(AT_FDCWD, path, directory, newName) }
    }

    /// Gives a file a path of the same file system, if the path is free.
    static func rename(
        _ name: String, in directory: Int32, toNewPath path: String
    ) throws(POSIXFailure) {
        _ = try checked { varve_rename_to_new(directory, name, AT_FDCWD, path) }
    }

    static func remove(at path: String) throws(POSIXFailure) {
        _ = try checked { unlink(path) }
    }

    /// Which file has a path, a symbolic link as it is; nil where none has it.
    static func identity(at path: String) throws(POSIXFailure) -> FileIdentity? {
        try identity(of: path, in: AT_FDCWD)
    }

    /// For its owner alone.
    static func makePrivate(_ file: Int32) throws(POSIXFailure) {
        _ = try checked { fchmod(file, 0o600) }
    }

    /// Lets an empty file share the blocks of another. False where the file system cannot.
    static func clone(_ source: Int32, to file: Int32) -> Bool { varve_clone(file, source) == 1 }

    struct Status {
        let identity: FileIdentity
        let length: UInt64
        /// When the content changed last, in nanoseconds.
        let modifiedAt: Int64
        let isRegular: Bool
        /// A regular file with exactly one link.
        let isPlainFile: Bool
        /// A file that has no name any more.
        let isRemoved: Bool
    }

    static func status(_ file: Int32) throws(POSIXFailure) -> Status {
        var status = stat()
        _ = try checked { fstat(file, &status) }
        return Status(
            identity: FileIdentity(status),
            length: UInt64(clamping: status.st_size),
            modifiedAt: status.modifiedAt,
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            isPlainFile: status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1,
            isRemoved: status.st_nlink == 0)
    }

    /// Of the file that has a name, a symbolic link as it is; nil where none has it. Reads no times: see
    /// `varve_identity_of`.
    static func identity(
        of name: String, in directory: Int32
    ) throws(POSIXFailure) -> FileIdentity? {
        var identity = varve_identity()
        do {
            _ = try checked { varve_identity_of(directory, name, &identity) }
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
        return FileIdentity(device: identity.device, inode: identity.inode)
    }

    static func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(POSIXFailure) -> Int {
        guard let position = off_t(exactly: offset) else { throw POSIXFailure(code: EINVAL) }
        return try checked { pread(file, buffer.baseAddress, buffer.count, position) }
    }

    static func readAhead(_ file: Int32, from offset: UInt64, byteCount: Int) {
        guard let offset = Int64(exactly: offset) else { return }
        varve_read_ahead(file, offset, byteCount)
    }

    static func write(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(POSIXFailure) -> Int {
        guard let position = off_t(exactly: offset) else { throw POSIXFailure(code: EFBIG) }
        return try checked { pwrite(file, bytes.baseAddress, bytes.count, position) }
    }

    static func truncate(_ file: Int32, to length: UInt64) throws(POSIXFailure) {
        guard let position = off_t(exactly: length) else { throw POSIXFailure(code: EFBIG) }
        _ = try checked { ftruncate(file, position) }
    }

    /// Extends a file by blocks that read as zeros. False where the system has no such call, or refuses.
    static func reserve(_ file: Int32, from start: UInt64, to end: UInt64) -> Bool {
        guard let start = Int64(exactly: start), let end = Int64(exactly: end) else { return false }
        return varve_reserve(file, start, end) == 1
    }

    /// Behind the hole at `offset`, where there is one; nil where that is the rest of the file.
    static func contentStart(_ file: Int32, from offset: UInt64) -> UInt64? {
        guard let position = Int64(exactly: offset) else { return offset }
        return UInt64(exactly: varve_content_start(file, position))
    }

    /// Data, and the length that is needed to read it back.
    static func synchronize(_ file: Int32) throws(POSIXFailure) {
        #if canImport(Darwin)
            try flush(file) { fsync(file) }
        #else
            try flush(file) { fdatasync(file) }
        #endif
    }

    private static func flush(
        _ descriptor: Int32, with call: () -> Int32
    ) throws(POSIXFailure) {
        #if canImport(Darwin)
            // fsync stops at the drive's cache there. Some file systems know nothing else.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try checked(call)
    }

    /// False when somebody else holds the lock.
    static func lock(_ file: Int32, _ kind: FileLockKind) throws(POSIXFailure) -> Bool {
        let operation = kind == .shared ? LOCK_SH : LOCK_EX
        do {
            _ = try checked { flock(file, operation | LOCK_NB) }
            return true
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return false
        }
    }

    static func unlock(_ file: Int32) throws(POSIXFailure) {
        _ = try checked { flock(file, LOCK_UN) }
    }

    /// Never repeated: after an interrupted close the descriptor is gone, and may be another's.
    static func closeDescriptor(_ descriptor: Int32) throws(POSIXFailure) {
        guard close(descriptor) == 0 || errno == EINTR else { throw POSIXFailure(code: errno) }
    }

    // MARK: Process and clocks

    /// Asked before every write. The system is asked once: a process has another number only when it
    /// was forked, which the C library tells.
    static func processID() -> Int32 {
        isForkTold ? ownNumber.load(ordering: .relaxed) : getpid()
    }

    private static let ownNumber = Atomic<Int32>(getpid())

    /// The first use registers the call, before the number is looked up.
    private static let isForkTold =
        pthread_atfork(nil, nil, { POSIX.ownNumber.store(getpid(), ordering: .relaxed) }) == 0

    /// A number that no other thread has which is alive.
    static var threadNumber: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Whether a thread that waits awake leaves a processor to the one that it waits for.
    static let hasSeveralProcessors = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

    static func yieldProcessor() { _ = sched_yield() }

    static func pause() { _ = usleep(1_000) }

    static func enterBackground() { _ = varve_enter_background() }

    static var threadProcessorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func wallClockMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // The nearest one, as dates are read: cut off, it would lie before a date that was taken before it.
        return Int64(time.tv_sec) &* 1_000_000 &+ (Int64(time.tv_nsec) + 500) / 1_000
    }

    // MARK: Results

    /// Runs a system call until no signal interrupts it; a negative result is an error.
    private static func checked<Result: SignedInteger>(
        _ call: () -> Result
    ) throws(POSIXFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw POSIXFailure(code: errno) }
        }
    }
}

extension stat {
    fileprivate var modifiedAt: Int64 {
        #if canImport(Darwin)
            let time = st_mtimespec
        #else
            let time = st_mtim
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension FileIdentity {
    fileprivate init(_ status: stat) {
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
