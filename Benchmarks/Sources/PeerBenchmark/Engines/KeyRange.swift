import Foundation

/// The keys that start with a prefix, or those from a prefix on through another.
struct KeyRange {
    let first: [UInt8]
    let last: [UInt8]

    init(prefix: [UInt8], through last: [UInt8]?) {
        first = prefix
        self.last = last ?? prefix
    }

    /// Whether a key at or behind the first is in the range still.
    @inline(__always)
    func reaches(_ key: UnsafeRawBufferPointer) -> Bool {
        last.withUnsafeBytes { last in
            guard let bound = last.baseAddress, let start = key.baseAddress else { return false }
            return memcmp(start, bound, min(last.count, key.count)) <= 0
        }
    }
}
