/// A fast hash of bytes under a random key of this process.
///
/// The same bytes have the same hash as long as the process lives, and no longer: nothing on disk
/// and no order may depend on it. The key keeps a hostile file from choosing ids that collide.
/// The method is the multiply-and-fold of wyhash.
package enum KeyedHash {
    /// The hash of a buffer; about 5 ns for a short id.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = bytes.baseAddress else { return finish(0, 0, seed: key.first, count: 0) }
        return hash(base, count: bytes.count)
    }

    /// All constants are random: with a public one, an input that equals it would multiply by
    /// zero and collide under every key.
    struct Key {
        let first: UInt64
        let second: UInt64
        let third: UInt64

        init(using generator: inout some RandomNumberGenerator) {
            first = generator.next()
            second = generator.next() | 1
            third = generator.next() | 1
        }
    }

    static let key: Key = {
        var generator = SystemRandomNumberGenerator()
        return Key(using: &generator)
    }()

    static func hash(_ base: UnsafeRawPointer, count: Int) -> UInt64 {
        let key = key
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
                tail.loadUnaligned(fromByteOffset: 8, as: UInt64.self), seed: seed, count: count)
        }
        if count >= 8 {
            return finish(
                base.loadUnaligned(as: UInt64.self),
                base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self),
                seed: seed, count: count)
        }
        if count >= 4 {
            return finish(
                UInt64(base.loadUnaligned(as: UInt32.self)),
                UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)),
                seed: seed, count: count)
        }
        guard count > 0 else { return finish(0, 0, seed: seed, count: 0) }
        let first = UInt64(base.load(as: UInt8.self))
        let middle = UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self))
        let last = UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
        return finish(first &<< 16 | middle &<< 8 | last, 0, seed: seed, count: count)
    }

    private static func finish(
        _ first: UInt64, _ second: UInt64, seed: UInt64, count: Int
    ) -> UInt64 {
        let key = key
        return fold(
            key.third ^ UInt64(truncatingIfNeeded: count),
            fold(first ^ key.second, second ^ seed))
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
