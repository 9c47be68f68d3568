/// Memory that is reused from one operation to the next, so that steady work allocates nothing.
///
/// Unsafe code: the memory belongs to this object alone and lives as long as it; the pointers that
/// it hands out are valid until `grow` is called or the object goes.
package final class ByteBuffer {
    private(set) var bytes: UnsafeMutableRawBufferPointer

    package init(capacity: Int = 0) {
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }

    var capacity: Int { bytes.count }

    /// Makes room for `count` bytes and keeps the first `kept` of those that are there.
    func grow(to count: Int, keeping kept: Int = 0) {
        precondition(kept <= capacity, "only bytes inside the buffer can be kept")
        guard count > capacity else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count, min(capacity &* 2, count &+ (8 << 20))), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(bytes.prefixBytes(kept)))
        bytes.deallocate()
        bytes = larger
    }

    package func prefix(_ count: Int) -> UnsafeMutableRawBufferPointer {
        bytes.prefixBytes(count)
    }
}

extension UnsafeMutableRawBufferPointer {
    func prefixBytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[..<count])
    }
}
