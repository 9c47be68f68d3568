/// What is known of a block.
struct BlockUse {
    private(set) var bits: UInt32
    private static let loader: UInt32 = 8

    init(bits: UInt32) { self.bits = bits }

    var isHere: Bool { bits & 1 != 0 }
    /// Whether it was read before: what it names was claimed then.
    var hasClaimed: Bool { bits & 2 != 0 }
    /// Whether a loader has taken it since the hand was there.
    var isRecent: Bool { bits & 4 != 0 }
    /// Whether it is here, and no loader has it.
    var isIdle: Bool { isHere && bits < Self.loader }

    mutating func noteRead() { bits |= 3 }
    mutating func noteEviction() { bits &= ~1 }
    mutating func noteHand() { bits &= ~4 }
    mutating func addLoader() { bits = (bits + Self.loader) | 4 }
    mutating func removeLoader() { bits -= Self.loader }
}
