import VarveEvents

/// Lists that a checkpoint holds, before they have a place in a table.
package struct LoadedLists: Sendable {
    struct List: Sendable {
        let holder: Slot
        let relation: RelationNumber
        let targets: Range<Int>
    }

    private(set) var lists: [List] = []
    /// Of all lists, one behind the other.
    private(set) var targets: [UInt32] = []

    /// Adds a list, whose targets `read` appends to those before.
    mutating func append<Failure: Error>(
        of holder: Slot, _ relation: RelationNumber,
        _ read: (inout [UInt32]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = targets.count
        try read(&targets)
        lists.append(List(holder: holder, relation: relation, targets: start..<targets.count))
    }

    func slots(of list: List) -> [Slot] { targets[list.targets].map { Slot($0) } }
}

extension LinkMap {
    /// Sets lists of ascending holders that have none yet. Each leaf is made once.
    mutating func load(_ loaded: LoadedLists, in transaction: PageTransaction) {
        let lists = loaded.lists
        var next = 0
        while next < lists.count {
            let position = lists[next].holder.index >> holderBits
            var end = next + 1
            while end < lists.count, lists[end].holder.index >> holderBits == position { end += 1 }
            let entry = leaves.mutableEntry(at: position, in: transaction)
            if entry.pointee == .none {
                entry.pointee = makeLeaf(lists[next..<end], of: loaded, in: transaction)
            } else {
                for list in lists[next..<end] {
                    replace(loaded.slots(of: list), of: list.holder, in: transaction)
                }
            }
            next = end
        }
    }

    private func makeLeaf(
        _ lists: ArraySlice<LoadedLists.List>, of loaded: LoadedLists,
        in transaction: PageTransaction
    ) -> PageNumber {
        var words = 0
        for list in lists { words += isShort(list.targets.count) ? list.targets.count : 1 }
        let (number, leaf) = LinkLeaf.make(
            holderCount: 1 << holderBits, words: words, in: transaction)
        var offset = leaf.lists
        for list in lists {
            let index = list.holder.index & (1 << holderBits - 1)
            if isShort(list.targets.count) {
                loaded.targets.withUnsafeBytes { targets in
                    let bytes = 4 * list.targets.lowerBound..<4 * list.targets.upperBound
                    leaf.page.write(UnsafeRawBufferPointer(rebasing: targets[bytes]), at: offset)
                }
                leaf.setCount(index, list.targets.count, isLong: false)
                offset += 4 * list.targets.count
            } else {
                let root = makeList(loaded.slots(of: list), in: transaction)
                leaf.page.store(root, at: offset)
                leaf.setCount(index, list.targets.count, isLong: true)
                offset += 4
            }
        }
        return number
    }
}
