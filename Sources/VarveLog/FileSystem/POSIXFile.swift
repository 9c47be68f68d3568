/// A file of the real file system.
final class POSIXFile: StoreFile {
    private let name: String
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
        // A small file gets little.
        let room = min(max(end.rawValue, Self.reservedMin), Self.reservedMax)
        let (goal, overflow) = end.rawValue.addingReportingOverflow(room + Self.reservedUnit - 1)
        guard !overflow else { return nil }
        let reserved = goal & ~(Self.reservedUnit - 1)
        if POSIX.reserve(open(), from: end.rawValue, to: reserved) { return FrameOffset(reserved) }
        // A call that fails may have got a part, by which the file is longer all the same.
        do throws(FileSystemError) {
            let length = try length().rawValue
            return length > end.rawValue ? FrameOffset(length) : nil
        } catch {
            // Nobody knows: it is taken for longer, so that it is cut.
            return FrameOffset(reserved)
        }
    }

    /// A whole number of pages, and so of ``SegmentScan/reservedUnit``.
    private static var reservedUnit: UInt64 { 4_096 }
    private static var reservedMin: UInt64 { 64 << 10 }
    private static var reservedMax: UInt64 { 1 << 20 }

    func synchronize() throws(FileSystemError) {
        try wrapping(.synchronize, name) { () throws(POSIXFailure) in
            try POSIX.synchronize(open())
        }
    }

    func length() throws(FileSystemError) -> ByteCount {
        ByteCount(try status().length)
    }

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

    private func open() -> Int32 {
        guard let descriptor else { preconditionFailure("\(name) is used after it was closed") }
        return descriptor
    }
}
