/// A set of slots or ordinals as one bit each.
@usableFromInline
struct SlotSet {
    private var words: ContiguousArray<UInt64>
    private(set) var count = 0

    /// Numbers from 0 up to, not including, the limit.
    init(limit: Int) { words = ContiguousArray(repeating: 0, count: (limit + 63) / 64) }

    @usableFromInline
    init(_ slots: ContiguousArray<UInt32>, limit: Int) {
        self.init(limit: limit)
        for slot in slots { insert(Int(slot)) }
    }

    /// The slots without repetitions, each at its first place.
    @usableFromInline
    static func distinct(
        _ slots: ContiguousArray<UInt32>, limit: Int
    ) -> ContiguousArray<UInt32> {
        // A set of bits is as long as the table, whatever it holds.
        guard slots.count > limit / 256 else { return Context.distinct(slots) }
        var seen = SlotSet(limit: limit)
        var result = slots
        result.removeAll { !seen.insert(Int($0)) }
        return result
    }

    @usableFromInline
    func contains(_ number: Int) -> Bool {
        let word = number >> 6
        return word < words.count && words[word] & (1 << UInt64(number & 63)) != 0
    }

    /// Adds a number, and returns whether it is new.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard words[number >> 6] & bit == 0 else { return false }
        words[number >> 6] |= bit
        count += 1
        return true
    }

    /// Calls `body` with each number, least first.
    func forEach(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index << 6 | word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}
