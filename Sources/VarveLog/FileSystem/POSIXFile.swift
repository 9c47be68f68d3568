/// A file of the real file system.
final class POSIXFile: StoreFile {
    var name: String
    /// Nil once closed.
    private var descriptor: Int32?

    init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        guard let descriptor else { return }
        // Writers close explicitly where the result matters; bytes count as safe only after
        // `synchronize`, which reports its own failures.
        try? POSIX.closeDescriptor(descriptor)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try wrapping(.read, name) { () throws(POSIXFailure) in
            try POSIX.read(open(), into: buffer, at: offset.rawValue)
        }
    }

    func readAhead(from offset: FrameOffset, byteCount: Int) {
        POSIX.readAhead(open(), from: offset.rawValue, byteCount: byteCount)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        try wrapping(.write, name) { () throws(POSIXFailure) in
            try POSIX.write(open(), bytes, at: offset.rawValue)
        }
    }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        try wrapping(.truncate, name) { () throws(POSIXFailure) in
            try POSIX.truncate(open(), to: length.rawValue)
        }
    }

    func reserve(behind end: FrameOffset) -> FrameOffset? {
        let (goal, overflow) = end.rawValue.addingReportingOverflow(Self.reservedMax)
        guard !overflow else { return nil }
        let reserved = goal & ~(Self.reservedUnit - 1)
        if POSIX.reserve(open(), from: end.rawValue, to: reserved) {
            fill(from: end.rawValue, to: reserved)
            return FrameOffset(reserved)
        }
        // A call that fails may have got a part, by which the file is longer all the same.
        do throws(FileSystemError) {
            let length = try length().rawValue
            return length > end.rawValue ? FrameOffset(length) : nil
        } catch {
            // Nobody knows: it is taken for longer, so that it is cut.
            return FrameOffset(reserved)
        }
    }

    func allocate(to length: ByteCount) -> Bool {
        do throws(FileSystemError) {
            let present = try self.length()
            return present >= length
                || POSIX.reserve(open(), from: present.rawValue, to: length.rawValue)
        } catch {
            return false
        }
    }

    /// Writes the zeros that are read there anyhow. A block of ext4 or XFS that was only taken becomes
    /// one with content by a thread of the system, behind the first write; the sync waits for it, and it
    /// waits for a processor. Written ahead, that happens once in many commits. File systems that write nothing in
    /// place, like btrfs, gain nothing by it.
    private func fill(from start: UInt64, to end: UInt64) {
        do throws(POSIXFailure) {
            try Self.zeros.withUnsafeBytesTyped { zeros throws(POSIXFailure) in
                _ = try POSIX.write(
                    open(), UnsafeRawBufferPointer(rebasing: zeros[..<Int(end - start)]), at: start)
            }
        } catch {
            // No zeros are missed. What is wrong with the disk is told by the write that needs the space, or by
            // the next sync.
        }
    }

    /// A whole number of pages, and so of ``SegmentScan/reservedUnit``.
    private static let reservedUnit: UInt64 = 4_096
    private static let reservedMax = SegmentScan.reservedMax
    private static let zeros = [UInt8](repeating: 0, count: Int(reservedMax))

    func contentStart(from offset: FrameOffset) -> FrameOffset? {
        POSIX.contentStart(open(), from: offset.rawValue).map { FrameOffset($0) }
    }

    func synchronize() throws(FileSystemError) {
        try wrapping(.synchronize, name) { () throws(POSIXFailure) in
            try POSIX.synchronize(open())
        }
    }

    func length() throws(FileSystemError) -> ByteCount {
        ByteCount(try status().length)
    }

    func identity() throws(FileSystemError) -> FileIdentity { try status().identity }

    func status() throws(FileSystemError) -> POSIX.Status {
        try wrapping(.status, name) { () throws(POSIXFailure) in try POSIX.status(open()) }
    }

    func lock(_ kind: FileLockKind) throws(FileSystemError) -> Bool {
        try wrapping(.lock, name) { () throws(POSIXFailure) in try POSIX.lock(open(), kind) }
    }

    func unlock() throws(FileSystemError) {
        try wrapping(.lock, name) { () throws(POSIXFailure) in try POSIX.unlock(open()) }
    }

    func close() throws(FileSystemError) {
        guard let descriptor else { return }
        self.descriptor = nil
        try wrapping(.close, name) { () throws(POSIXFailure) in
            try POSIX.closeDescriptor(descriptor)
        }
    }

    /// Lets the file, which is empty, share the blocks of another. False where the file system cannot.
    func clone(_ source: POSIXFile) -> Bool { POSIX.clone(source.open(), to: open()) }

    func makePrivate() throws(FileSystemError) {
        try wrapping(.status, name) { () throws(POSIXFailure) in try POSIX.makePrivate(open()) }
    }

    private func open() -> Int32 {
        guard let descriptor else { preconditionFailure("\(name) is used after it was closed") }
        return descriptor
    }
}
