/// Where the bytes of an image are read: a part of a file, or memory. Any number of threads read at once.
package protocol BlockSource: AnyObject, Sendable {
    /// The bytes that there are.
    var byteCount: UInt64 { get }

    /// Where the root begins, if that is known: it is read together with what leads to it then.
    var rootOffset: UInt64 { get }

    /// Fills a buffer from an offset on. Returns how many bytes there were: fewer than asked for only at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BlockStorageError) -> Int
}

extension BlockSource {
    package var rootOffset: UInt64 { byteCount }
}

/// Where the bytes of an image are written, one behind the other.
package protocol BlockSink {
    /// Called first, with how many blocks there may be at most.
    mutating func begin(blockCount: Int)

    /// Called with each block, and then with the parts of the directory.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError)

    /// Called last, with the root and its locator.
    mutating func appendRoot(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError)
}

extension BlockSink {
    package mutating func begin(blockCount: Int) {}

    package mutating func appendRoot(
        _ bytes: UnsafeRawBufferPointer
    ) throws(BlockStorageError) {
        try append(bytes)
    }
}

/// Why bytes could not be read or written, in words of the layer that does it.
package struct BlockStorageError: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

extension PageDamage.Place {
    /// Reads the bytes, into memory that the caller deallocates. They are not compared with anything.
    func read(from source: any BlockSource) throws(PageDamage) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        do throws(PageDamage) {
            try fill(buffer, from: source)
            return buffer
        } catch {
            buffer.deallocate()
            throw error
        }
    }

    func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from source: any BlockSource
    ) throws(PageDamage) {
        let count: Int
        do throws(BlockStorageError) {
            count = try source.read(into: buffer, at: offset)
        } catch {
            throw .unreadable(self, reason: error.reason)
        }
        guard count == byteCount else { throw .cut(self, found: count) }
    }
}
