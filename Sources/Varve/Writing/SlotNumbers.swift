/// Small numbers by 64-bit keys, for one transaction after the other: emptying it costs nothing where the next one is
/// about as large, and its memory is kept. A dictionary would take as long as what is looked up in it.
struct SlotNumbers {
    /// Counts only while it is of the present round.
    private struct Entry {
        var key: UInt64 = 0
        var number: UInt32 = 0
        var round: UInt32 = 0
    }

    /// Open addressing. The size is a power of two.
    private var entries = ContiguousArray(repeating: Entry(), count: SlotNumbers.leastCapacity)
    private var count = 0
    private var round: UInt32 = 1

    private static var leastCapacity: Int { 64 }
    /// What a larger transaction needed is returned.
    private static var keptCapacity: Int { 1 << 16 }

    mutating func removeAll() {
        if entries.count > SlotNumbers.keptCapacity || round == .max {
            start(SlotNumbers.leastCapacity)
        } else if entries.count > max(count * 16, SlotNumbers.leastCapacity) {
            // Step by step, should large transactions follow: in few entries a small one finds its own in the caches.
            start(entries.count / 2)
        } else {
            round += 1
        }
        count = 0
    }

    private mutating func start(_ capacity: Int) {
        entries = ContiguousArray(repeating: Entry(), count: capacity)
        round = 1
    }

    subscript(key: UInt64) -> UInt32? {
        let place = place(of: key)
        return entries[place].round == round ? entries[place].number : nil
    }

    /// Notes a number. False where the key has one already, which stays.
    mutating func insert(_ key: UInt64, _ number: UInt32 = 0) -> Bool {
        let place = place(of: key)
        guard entries[place].round != round else { return false }
        entries[place] = Entry(key: key, number: number, round: round)
        count += 1
        if count * 4 > entries.count * 3 { grow() }
        return true
    }

    /// Where the key stands, or would.
    private func place(of key: UInt64) -> Int {
        let mask = entries.count - 1
        // Fibonacci hashing: keys are positions and slots, which count up.
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
        while entries[place].round == round, entries[place].key != key {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = entries
        entries = ContiguousArray(repeating: Entry(), count: old.count * 2)
        for entry in old where entry.round == round { entries[place(of: entry.key)] = entry }
    }
}
