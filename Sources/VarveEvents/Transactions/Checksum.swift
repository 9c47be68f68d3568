internal import CVarve

/// CRC-32C (Castagnoli) of the texts that splices join.
enum Checksum {
    static func crc32c(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        varve_crc32c(0, bytes.baseAddress, bytes.count)
    }
}

/// What two stretches of bytes have in common at their ends.
struct CommonBytes {
    let prefix: Int
    /// Behind the prefix in both: the two never overlap.
    let suffix: Int

    /// - Parameter limit: neither is longer.
    init(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, limit: Int) {
        let shorter = min(first.count, second.count)
        guard shorter > 0, let one = first.baseAddress, let other = second.baseAddress else {
            prefix = 0
            suffix = 0
            return
        }
        prefix = min(limit, varve_common_prefix(one, other, shorter))
        let left = shorter - prefix
        suffix = min(
            limit,
            varve_common_suffix(one + (first.count - left), other + (second.count - left), left))
    }
}
