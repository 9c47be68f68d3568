import Foundation

/// A file whose blocks are there before anything is written: the least that a durable commit takes.
final class BareLog {
    private let descriptor: Int32
    private var end = 0

    /// - Parameter size: the bytes that it will take.
    init(in directory: URL, size: Int = 4 << 20) throws {
        let path = directory.appending(path: "bare").path
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { throw EngineError(.limit, "no file at \(path)") }
        // Written, not only allocated: a first write would change how the file system sees them.
        let zeros = [UInt8](repeating: 0, count: size)
        guard write(descriptor, zeros, size) == size, fsync(descriptor) == 0 else {
            throw EngineError(.limit, "cannot write \(path)")
        }
    }

    deinit { Foundation.close(descriptor) }

    func append(_ bytes: [UInt8]) throws {
        let written = pwrite(descriptor, bytes, bytes.count, off_t(end))
        end += bytes.count
        guard written == bytes.count, fdatasync(descriptor) == 0 else {
            throw EngineError(.limit, "cannot append")
        }
    }
}

/// The least that a group commit takes: who comes first writes what all have brought meanwhile, syncs once, and wakes
/// them. No state, no index, nothing encoded.
///
/// Guarded by its lock.
final class BareGroupCommit: @unchecked Sendable {
    private let log: BareLog
    private let lock = NSCondition()
    private var brought: [UInt8] = []
    /// The group that is brought together now.
    private var group = 0
    private var isSyncing = false
    private var failure: (any Error)?

    init(_ log: BareLog) { self.log = log }

    func append(_ bytes: [UInt8]) throws {
        lock.lock()
        defer { lock.unlock() }
        brought += bytes
        let mine = group
        // The group before this one is on its way, or somebody of this one has gone ahead.
        while isSyncing, mine >= group - 1, failure == nil { lock.wait() }
        if mine == group, failure == nil { lead() }
        if let failure { throw failure }
    }

    /// Called with the lock held, and returns so.
    private func lead() {
        let bytes = brought
        brought = []
        group += 1
        isSyncing = true
        lock.unlock()
        let result = Result { try log.append(bytes) }
        lock.lock()
        isSyncing = false
        if case .failure(let error) = result { failure = error }
        lock.broadcast()
    }
}
