/// Which part of an order a query with a limit shows.
struct LivePage: Sendable {
    let limit: Int
    let offset: Int

    /// Nil for a page that shows nothing.
    init?(limit: Int, offset: Int) {
        guard limit > 0, offset >= 0 else { return nil }
        self.limit = limit
        self.offset = offset
    }

    /// How many rows from the first on must be known.
    var needed: Int { limit.addingClamped(offset) }

    /// How many are asked for at once: so many may go before the query has to be asked again.
    var reserve: Int { needed.addingClamped(max(64, min(needed / 4, 4_096))) }

    /// The slots that are shown.
    func slots(of head: LiveHead) -> SlotList {
        guard offset > 0 || head.slots.count > limit else { return head.slots }
        let end = min(needed, head.slots.count)
        return SlotList(
            ContiguousArray((min(offset, end)..<end).map { head.slots.slot(at: $0) }))
    }
}

/// The first rows of an order: the page that is shown, and some behind it that may come to be shown.
struct LiveHead: Sendable {
    var slots: SlotList
    /// Whether there are no other rows.
    var isWhole: Bool

    init(_ page: LivePage, _ slots: ContiguousArray<UInt32>) {
        self.slots = SlotList(slots)
        isWhole = slots.count < page.reserve
    }
}

extension LiveOrder {
    /// The first rows of the next state, where some rows have changed; nil where too few of them are
    /// known, or the rows turn out not to be in the order.
    ///
    /// What is behind the last known row stays unknown, unless all are known: a row that comes there
    /// is not taken in, and one that goes was never there.
    func advance(
        _ old: LiveHead, _ page: LivePage, from before: Table<Entity>, to after: Table<Entity>,
        _ changed: ContiguousArray<UInt32>
    ) -> LiveHead? {
        var gone: [Int] = []
        var come: [(slot: UInt32, row: Row)] = []
        for slot in changed {
            let (was, now) = found(slot, before, after)
            if let was, let now, compare(was, now) == 0 { continue }
            if let was {
                let position = self.position(of: was, in: old.slots, before)
                guard position >= 0 else { return nil }
                if position < old.slots.count {
                    guard old.slots.slot(at: position) == slot else { return nil }
                    gone.append(position)
                } else if old.isWhole || old.slots.contains(slot) {
                    return nil
                }
            }
            if let now { come.append((slot, now)) }
        }
        var head = old
        for position in gone.sorted().reversed() { head.slots.remove(at: position) }
        for (slot, row) in come.sorted(by: { compare($0.row, $1.row) < 0 }) {
            let position = self.position(of: row, in: head.slots, after)
            guard position >= 0 else { return nil }
            if position < head.slots.count || head.isWhole {
                head.slots.insert(slot, at: position)
            }
        }
        guard head.isWhole || head.slots.count >= page.needed else { return nil }
        // What gathers behind the page is released.
        while head.slots.count > page.reserve.addingClamped(page.reserve) {
            head.slots.remove(at: head.slots.count - 1)
            head.isWhole = false
        }
        return head
    }
}
