// Changes of one list of links by position. Each costs the move and not the length of the list, while no entity of the
// children's type is absent.

extension Context {
    /// Moves the link at one position of a list to another position. O(log n), and O(n) where an entity of the
    /// children's type is absent: deleted, or linked and not saved.
    ///
    /// Positions count the entities that are in the context. The last position is behind all links.
    @usableFromInline
    mutating func moveLink(
        from source: Int, to destination: Int, of slot: UInt32, relation: Int, table: Int
    ) {
        var list = links(of: slot, relation: relation, table: table)
        let child = tables.tables[rows: tables.tables[rows: table].relations[relation].childTable]
        let position = list.position(ofLive: source, in: child)
        precondition(
            position < list.count,
            "cannot move the entity at position \(source) of a list of \(list.liveCount(in: child))"
        )
        let moved = list.slot(at: position)
        list.remove(at: position)
        let target = list.position(ofLive: destination, in: child, isEndAllowed: true)
        guard target != position else { return }
        list.insert(moved, at: target)
        setLinks(list, of: slot, relation: relation, table: table)
    }

    /// Links children, which are distinct, from a position on, or at the end where the list is shorter without them. A
    /// child that the list has moves there.
    @usableFromInline
    mutating func insertLinks(
        _ children: ContiguousArray<UInt32>, at position: Int, of slot: UInt32, relation: Int,
        table: Int
    ) {
        // Links both sides of a mutual relation; what is linked stays where it is.
        appendLinks(children, to: slot, relation: relation, table: table)
        var list = links(of: slot, relation: relation, table: table)
        for child in children {
            // New ones are the last, and most often there is one.
            if list.last == child {
                list.remove(at: list.count - 1)
            } else if let position = list.position(of: child) {
                list.remove(at: position)
            }
        }
        let childTable = tables.tables[
            rows: tables.tables[rows: table].relations[relation].childTable]
        let start = list.position(ofLive: position, in: childTable)
        for (offset, child) in children.enumerated() { list.insert(child, at: start + offset) }
        setLinks(list, of: slot, relation: relation, table: table)
    }

    /// Removes the link at a position, on both sides of a mutual relation.
    @usableFromInline
    mutating func removeLink(at position: Int, of slot: UInt32, relation: Int, table: Int) {
        let list = links(of: slot, relation: relation, table: table)
        let resolved = tables.tables[rows: table].relations[relation]
        let child = tables.tables[rows: resolved.childTable]
        let found = list.position(ofLive: position, in: child)
        precondition(
            found < list.count,
            "cannot detach the entity at position \(position) of a list of "
                + "\(list.liveCount(in: child))")
        let target = list.slot(at: found)
        if let inverse = resolved.inverse {
            removeLink(to: slot, of: target, relation: inverse, table: resolved.childTable)
        }
        removeLink(to: target, of: slot, relation: relation, table: table)
    }

    /// Puts the links of one list in another order: children with a row first, as `order` gives them, the others behind.
    @usableFromInline
    mutating func reorderLinks(
        to order: ContiguousArray<UInt32>, of slot: UInt32, relation: Int, table: Int
    ) {
        let list = links(of: slot, relation: relation, table: table)
        let sorted = Set(order)
        let new = order + list.slots.filter { !sorted.contains($0) }
        guard !list.isEqual(to: new) else { return }
        setLinks(SlotList(new), of: slot, relation: relation, table: table)
    }
}

extension SlotList {
    fileprivate var last: UInt32? { count == 0 ? nil : slot(at: count - 1) }

    fileprivate func liveCount(in table: AnyTable) -> Int {
        slots.count { table.isLive(Slot($0)) }
    }

    /// The position in the list of the entity at a position among those that have a row. O(1) while the child's table has
    /// a row for each of its ids. Otherwise any link may lead to an absent entity, and the links before it are looked at.
    ///
    /// - Returns: the count of the list where it has fewer. With `isEndAllowed` only for the position behind the last.
    fileprivate func position(
        ofLive position: Int, in table: AnyTable, isEndAllowed: Bool = false
    ) -> Int {
        precondition(position >= 0, "a position in a list is not negative: \(position)")
        if table.liveCount == table.slotCount {
            precondition(!isEndAllowed || position <= count, Self.outside(position, count))
            return min(position, count)
        }
        var live = 0
        let found = firstPosition { slot in
            guard table.isLive(Slot(slot)) else { return false }
            live += 1
            return live > position
        }
        if let found { return found }
        precondition(!isEndAllowed || position == live, Self.outside(position, live))
        return count
    }

    private static func outside(_ position: Int, _ count: Int) -> String {
        "position \(position) is outside of a list of \(count)"
    }
}
