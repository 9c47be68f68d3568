import Foundation

/// Bytes that come in order, from a file or from memory.
protocol ByteSource: AnyObject {
    /// Writes up to `buffer.count` bytes to the start of `buffer`; 0 says that there are no more.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PackagesError) -> Int
    /// How far the underlying file was read, in bytes as they lie on disk.
    var position: Int64 { get }
}

/// The bytes of a file as they lie on disk.
final class FileByteSource: ByteSource {
    let path: String
    private let handle: FileHandle
    private(set) var position: Int64 = 0

    init(path: String) throws(PackagesError) {
        self.path = path
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PackagesError) -> Int {
        let data: Data
        do {
            data = try handle.read(upToCount: buffer.count) ?? Data()
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
        data.copyBytes(to: buffer)
        position += Int64(data.count)
        return data.count
    }
}

/// Bytes that are in memory already.
final class MemoryByteSource: ByteSource {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var position: Int64 { Int64(offset) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset)
        buffer.copyBytes(from: bytes[offset..<offset + count])
        offset += count
        return count
    }
}
