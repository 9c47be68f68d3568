/// Builds the lists of many tokens from documents that come in the order of their slots.
///
/// It finds a token's list by one look into a flat table, and adds up appearances as they come, so
/// that a document's tokens need not be sorted.
struct PostingListBuilder {
    private struct Entry {
        let token: UInt64
        /// The posting of the last document that has the token; not in the list yet.
        var newest: Posting
        var list = PostingList()
    }

    private var entries = ContiguousArray<Entry>()
    /// Positions in `entries`, plus one, by hash; 0 where free. At most half full.
    private var table = ContiguousArray<UInt32>(repeating: 0, count: 1 << 12)

    /// Adds appearances of a token in a document, which is the last one so far or comes behind.
    mutating func add(_ token: UInt64, count: UInt32, slot: UInt32) {
        var place = place(of: token)
        while table[place] != 0 {
            let position = Int(table[place]) - 1
            if entries[position].token == token { return note(position, count, slot) }
            place = (place + 1) & (table.count - 1)
        }
        entries.append(Entry(token: token, newest: Posting(slot: slot, frequency: count)))
        table[place] = UInt32(entries.count)
        if entries.count * 2 > table.count { grow() }
    }

    @inline(__always)
    private mutating func note(_ position: Int, _ count: UInt32, _ slot: UInt32) {
        if entries[position].newest.slot == slot {
            let (sum, overflow) = entries[position].newest.frequency
                .addingReportingOverflow(count)
            entries[position].newest.frequency = overflow ? .max : sum
        } else {
            entries[position].list.insert(entries[position].newest)
            entries[position].newest = Posting(slot: slot, frequency: count)
        }
    }

    private func place(of token: UInt64) -> Int {
        Int(TokenMap.hash(token) >> 20) & (table.count - 1)
    }

    private mutating func grow() {
        table = ContiguousArray(repeating: 0, count: table.count * 2)
        for position in entries.indices {
            var place = place(of: entries[position].token)
            while table[place] != 0 { place = (place + 1) & (table.count - 1) }
            table[place] = UInt32(position) + 1
        }
    }

    consuming func build() -> TokenMap {
        var map = TokenMap()
        for position in entries.indices {
            entries[position].list.insert(entries[position].newest)
            map.insert(entries[position].list, of: entries[position].token)
            // The map's list is the only one.
            entries[position].list = PostingList()
        }
        return map
    }
}
