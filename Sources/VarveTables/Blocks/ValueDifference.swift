/// Differences as numbers without a sign: small ones are small, whichever way they go.
enum ValueDifference {
    /// - Parameter unusedBits: of a value, the highest ones.
    @inline(__always)
    static func encode(_ difference: UInt64, unusedBits: UInt64) -> UInt64 {
        let signed = Int64(bitPattern: difference &<< unusedBits) &>> Int64(unusedBits)
        return UInt64(bitPattern: (signed &<< 1) ^ (signed &>> 63))
    }

    @inline(__always)
    static func decode(_ stored: UInt64) -> UInt64 { (stored &>> 1) ^ (0 &- (stored & 1)) }
}
