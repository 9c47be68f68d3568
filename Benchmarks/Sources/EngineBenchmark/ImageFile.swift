import Glibc
import Synchronization
import VarveTables

/// An image in a file, which is gone when the benchmark ends.
final class ImageFile: BlockSource, BlockSink {
    private let descriptor: Int32
    private let end = Atomic<UInt64>(0)

    init() {
        let path = "/tmp/varve-engine-benchmark.\(getpid()).image"
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        precondition(descriptor >= 0, "\(path) can be written")
        unlink(path)
    }

    deinit { close(descriptor) }

    var byteCount: UInt64 { end.load(ordering: .relaxed) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(byteCount))
        guard count == bytes.count else { throw BlockStorageError(reason: "errno \(errno)") }
        end.wrappingAdd(UInt64(count), ordering: .relaxed)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BlockStorageError) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else { throw BlockStorageError(reason: "errno \(errno)") }
        return count
    }
}
