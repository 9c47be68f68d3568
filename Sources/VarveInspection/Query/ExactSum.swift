/// A sum of numbers that is rounded once, when it is asked for: it is the same in whatever order they were added.
///
/// The sum is a fixed-point number in limbs of 32 bits. There are as many of them as the numbers are wide.
struct ExactSum: Sendable {
    /// Each is worth 2^32 of the one before. They are signed, and wider than 32 bits until they are carried.
    private var limbs: [Int64] = []
    /// How many limbs the first one is above the one whose unit is the least positive number.
    private var first = 0
    private var additions = 0
    /// The sum of those that are not finite, if any.
    private var nonFinite: Double?

    private static let leastExponent = -1_074
    private static let limbMask: UInt64 = 0xFFFF_FFFF
    /// Each addition adds less than 2^32 to a limb, so that none overflows.
    private static let additionsMax = 1 << 30

    // MARK: Adding

    mutating func add(_ value: Double) {
        guard value.isFinite else { return nonFinite = (nonFinite ?? 0) + value }
        let (exponent, significand) = (Int(value.exponentBitPattern), value.significandBitPattern)
        let hidden: UInt64 = exponent == 0 ? 0 : 1 << 52
        add(significand | hidden, at: max(exponent, 1) - 1, isNegative: value < 0)
    }

    mutating func add(_ value: Int64) {
        add(value.magnitude, at: -Self.leastExponent, isNegative: value < 0)
    }

    mutating func add(_ other: ExactSum) {
        if let value = other.nonFinite { nonFinite = (nonFinite ?? 0) + value }
        var other = other
        other.carry()
        guard !other.limbs.isEmpty else { return }
        makeRoom(from: other.first, to: other.first + other.limbs.count)
        for (index, limb) in other.limbs.enumerated() {
            limbs[other.first - first + index] += limb
        }
        countAddition()
    }

    /// Adds a magnitude that is worth 2^position of the least positive number.
    private mutating func add(_ magnitude: UInt64, at position: Int, isNegative: Bool) {
        if magnitude == 0 { return }
        let (limb, shift) = (position >> 5, UInt64(position & 31))
        makeRoom(from: limb, to: limb + 3)
        let low = magnitude << shift
        // A shift by 64 gives 0.
        let high = magnitude >> (64 - shift)
        let sign: Int64 = isNegative ? -1 : 1
        let index = limb - first
        limbs[index] &+= sign &* Int64(low & Self.limbMask)
        limbs[index + 1] &+= sign &* Int64(low >> 32)
        limbs[index + 2] &+= sign &* Int64(high)
        countAddition()
    }

    private mutating func makeRoom(from lower: Int, to upper: Int) {
        if lower >= first, upper <= first + limbs.count { return }
        if limbs.isEmpty { first = lower }
        if lower < first {
            limbs.insert(contentsOf: repeatElement(0, count: first - lower), at: 0)
            first = lower
        }
        let missing = upper - first - limbs.count
        if missing > 0 { limbs.append(contentsOf: repeatElement(0, count: missing)) }
    }

    private mutating func countAddition() {
        additions += 1
        if additions == Self.additionsMax { carry() }
    }

    /// Makes all limbs but the last numbers of 32 bits without a sign. The last one has the sign of the sum.
    private mutating func carry() {
        additions = 0
        var carried: Int64 = 0
        for index in limbs.indices {
            let limb = limbs[index] + carried
            carried = limb >> 32
            limbs[index] = limb & Int64(Self.limbMask)
        }
        if carried != 0 { limbs.append(carried) }
    }

    // MARK: Rounding

    /// The nearest number to the sum; infinite beyond the greatest.
    var value: Double {
        if let nonFinite { return nonFinite }
        var sum = self
        sum.carry()
        guard let top = sum.limbs.last else { return 0 }
        guard top < 0 else { return sum.magnitude }
        for index in sum.limbs.indices { sum.limbs[index].negate() }
        sum.carry()
        return -sum.magnitude
    }

    /// Of a sum that is not negative, and carried.
    private var magnitude: Double {
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        func limb(_ index: Int) -> UInt64 { index < 0 ? 0 : UInt64(limbs[index]) }
        let upper = limb(top) << 32 | limb(top - 1)
        let shift = UInt64(upper.leadingZeroBitCount)
        let lower = limb(top - 2) << shift
        var bits = upper << shift | lower >> 32
        // What follows decides only between two numbers that are as near: one bit suffices for it.
        let rest = limbs.prefix(max(0, top - 2))
        if lower & Self.limbMask != 0 || rest.contains(where: { $0 != 0 }) { bits |= 1 }
        let exponent = (first + top - 1) * 32 - Int(shift) + Self.leastExponent
        return Double(sign: .plus, exponent: exponent, significand: Double(bits))
    }
}
