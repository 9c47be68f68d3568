public import Foundation
internal import VarveLog

/// Ids for entities of a test: as random to look at as those of `UUID()`, and the same in each run.
///
/// ```swift
/// let ids = TestIDs()
/// try store.write { try Note(id: ids.next(), text: "Milk").save(to: &$0) }
/// ```
public final class TestIDs: Sendable {
    private let state: Lock<UInt64>

    /// Ids that a number decides. Another number gives other ids.
    public init(seed: UInt64 = 0) {
        // Mixed, or seeds an increment apart would give the same ids, one call later.
        state = Lock(Self.mix(seed))
    }

    /// The next id: a UUID of version 4.
    public func next() -> UUID {
        var bytes = (nextNumber().bigEndian, nextNumber().bigEndian)
        return withUnsafeMutableBytes(of: &bytes) { bytes in
            // RFC 9562: four bits say the version, two the variant.
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }

    /// The next number of SplitMix64.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state &+= Self.increment
            return Self.mix(state)
        }
    }

    /// What SplitMix64 adds for each number.
    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
