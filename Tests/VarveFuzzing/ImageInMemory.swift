package import VarveTables

/// The bytes of an image in memory.
package struct ImageBytes: BlockSink {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(
        _ bytes: UnsafeRawBufferPointer
    ) throws(BlockStorageError) {
        self.bytes += bytes
    }
}

/// Reads an image from memory.
package final class ImageInMemory: BlockSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var byteCount: UInt64 { UInt64(bytes.count) }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BlockStorageError) -> Int {
        let start = Int(min(offset, byteCount))
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        return count
    }
}
