/// The running digest of a log: of every segment header and every frame header, in order, so of
/// every checksum and through them of every byte.
///
/// Each step is XXH64 over the header's bytes with the digest so far as seed. It detects missing,
/// repeated, exchanged and replaced frames by accident; it does not resist forgery.
package struct ChainDigest: Hashable, Sendable {
    package private(set) var rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before the first segment of a store.
    package static let start = ChainDigest(0)

    mutating func extend(with header: UnsafeRawBufferPointer) {
        rawValue = XXH64.hash(header, seed: rawValue)
    }
}

/// The 64-bit xxHash of a buffer.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var position = 0
        var hash =
            bytes.count >= 32
            ? stripes(bytes, seed: seed, position: &position) : seed &+ prime5
        hash = hash &+ UInt64(bytes.count)
        while position + 8 <= bytes.count {
            hash ^= round(0, bytes.integer(at: position, as: UInt64.self))
            hash = rotate(hash, 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            hash ^= UInt64(bytes.integer(at: position, as: UInt32.self)) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            position += 4
        }
        while position < bytes.count {
            hash ^= UInt64(bytes[position]) &* prime5
            hash = rotate(hash, 11) &* prime1
            position += 1
        }
        return avalanche(hash)
    }

    private static func stripes(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, position: inout Int
    ) -> UInt64 {
        var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
        while position + 32 <= bytes.count {
            lanes.0 = round(lanes.0, bytes.integer(at: position, as: UInt64.self))
            lanes.1 = round(lanes.1, bytes.integer(at: position + 8, as: UInt64.self))
            lanes.2 = round(lanes.2, bytes.integer(at: position + 16, as: UInt64.self))
            lanes.3 = round(lanes.3, bytes.integer(at: position + 24, as: UInt64.self))
            position += 32
        }
        var hash = rotate(lanes.0, 1) &+ rotate(lanes.1, 7)
        hash = hash &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
        hash = merge(hash, lanes.0)
        hash = merge(hash, lanes.1)
        hash = merge(hash, lanes.2)
        return merge(hash, lanes.3)
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value &<< count | value &>> (64 &- count)
    }

    private static func avalanche(_ value: UInt64) -> UInt64 {
        var hash = value
        hash ^= hash &>> 33
        hash = hash &* prime2
        hash ^= hash &>> 29
        hash = hash &* prime3
        return hash ^ hash &>> 32
    }
}
