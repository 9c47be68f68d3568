/// A fast hash of bytes under a random key of this process.
///
/// The same bytes have the same hash as long as the process lives, and no longer: nothing on disk
/// and no order may depend on it. The key keeps a hostile file from choosing ids that collide.
/// The method is the multiply-and-fold of wyhash.
package enum KeyedHash {
    /// The hash of a buffer; about 5 ns for a short id.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        hash(bytes, key: key)
    }

    /// The hash of a buffer under a fixed key: for digests that are compared between processes.
    package static func stableHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        hash(bytes, key: stableKey)
    }

    /// The hash of a buffer under a key of the caller's.
    package static func hash(_ bytes: UnsafeRawBufferPointer, key: Key) -> UInt64 {
        guard let base = bytes.baseAddress else {
            return finish(0, 0, seed: key.first, count: 0, key: key)
        }
        return hash(base, count: bytes.count, key: key)
    }

    /// All constants are random: with a public one, an input that equals it would multiply by
    /// zero and collide under every key.
    package struct Key: Hashable, Sendable, BitwiseCopyable {
        package let first: UInt64
        package let second: UInt64
        package let third: UInt64

        package init(first: UInt64, second: UInt64, third: UInt64) {
            self.first = first
            self.second = second
            self.third = third
        }

        package init(using generator: inout some RandomNumberGenerator) {
            first = generator.next()
            second = generator.next() | 1
            third = generator.next() | 1
        }
    }

    private static let stableKey = Key(
        first: 0x2545_F491_4F6C_DD1D, second: 0xA076_1D64_78BD_642F,
        third: 0xE703_7ED1_A0B4_28DB)

    package static let key: Key = {
        var generator = SystemRandomNumberGenerator()
        return Key(using: &generator)
    }()

    static func hash(_ base: UnsafeRawPointer, count: Int) -> UInt64 {
        hash(base, count: count, key: key)
    }

    private static func hash(_ base: UnsafeRawPointer, count: Int, key: Key) -> UInt64 {
        var seed = key.first
        if count > 16 {
            var cursor = base
            var rest = count
            while rest > 16 {
                seed = fold(
                    cursor.loadUnaligned(as: UInt64.self) ^ key.second,
                    cursor.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ seed)
                cursor += 16
                rest &-= 16
            }
            let tail = base + (count &- 16)
            return finish(
                tail.loadUnaligned(as: UInt64.self),
                tail.loadUnaligned(fromByteOffset: 8, as: UInt64.self), seed: seed, count: count,
                key: key)
        }
        if count >= 8 {
            return finish(
                base.loadUnaligned(as: UInt64.self),
                base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self),
                seed: seed, count: count, key: key)
        }
        if count >= 4 {
            return finish(
                UInt64(base.loadUnaligned(as: UInt32.self)),
                UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)),
                seed: seed, count: count, key: key)
        }
        guard count > 0 else { return finish(0, 0, seed: seed, count: 0, key: key) }
        let first = UInt64(base.load(as: UInt8.self))
        let middle = UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self))
        let last = UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
        return finish(first &<< 16 | middle &<< 8 | last, 0, seed: seed, count: count, key: key)
    }

    /// The hash of a byte and the 16 bytes or more behind it, which stand elsewhere: what
    /// ``hash(_:count:)`` gives for both in one buffer, without putting them into one.
    static func hash(_ prefix: UInt8, _ base: UnsafeRawPointer, count: Int) -> UInt64 {
        #if !_endian(little)
            #error("words are put together as little-endian machines store them")
        #endif
        let key = key
        let first = UInt64(prefix) | base.loadUnaligned(as: UInt64.self) &<< 8
        var seed = fold(
            first ^ key.second, base.loadUnaligned(fromByteOffset: 7, as: UInt64.self) ^ key.first)
        var cursor = base + 15
        var rest = count &- 15
        while rest > 16 {
            seed = fold(
                cursor.loadUnaligned(as: UInt64.self) ^ key.second,
                cursor.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ seed)
            cursor += 16
            rest &-= 16
        }
        let tail = base + (count &- 16)
        return finish(
            tail.loadUnaligned(as: UInt64.self),
            tail.loadUnaligned(fromByteOffset: 8, as: UInt64.self), seed: seed,
            count: count &+ 1, key: key)
    }

    private static func finish(
        _ first: UInt64, _ second: UInt64, seed: UInt64, count: Int, key: Key
    ) -> UInt64 {
        fold(
            key.third ^ UInt64(truncatingIfNeeded: count),
            fold(first ^ key.second, second ^ seed))
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
