import Foundation

extension UnsafeRawBufferPointer {
    /// Whether both buffers hold the same bytes.
    // Inlined: the length test decides most comparisons.
    @inlinable
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return count == 0 || memoryIsEqual(left, right, count)
    }

    /// Whether this buffer comes before the other in byte order; a prefix comes first.
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let shared = Swift.min(count, other.count)
        if shared > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return order < 0 }
        }
        return count < other.count
    }
}

@usableFromInline
func memoryIsEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}
