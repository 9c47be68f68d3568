/// What an index holds about the rows of a table: entries in a tree or a map, or the words of texts.
@usableFromInline
package struct IndexContent: Sendable {
    @usableFromInline var tree = PostingTree()
    /// Of a unique index by hash: slots under the hashes of their rows' values, and nothing in the tree. Values that are
    /// all different need no order, and are found in fewer steps without. Nil also where many rows were found to have
    /// the same value, among which a map would have to search.
    @usableFromInline var slots: IDMap?
    /// Nil for every index but a full-text one, which has no entries in the tree.
    @usableFromInline var text: TextPostings?
    /// Of a unique index: whether two rows may have the same values, which stored rows may from before the
    /// constraint, and those whose resolver left it at that. Once true it stays so.
    @usableFromInline var mayHoldEqual = false

    init(_ definition: IndexDefinition) {
        text = definition.kind == .text ? TextPostings() : nil
        slots = definition.isUniqueByHash ? IDMap() : nil
    }

    @usableFromInline
    init(text: TextPostings) { self.text = text }

    @usableFromInline
    init(tree: PostingTree, mayHoldEqual: Bool) {
        self.tree = tree
        self.mayHoldEqual = mayHoldEqual
    }

    @usableFromInline
    init(slots: IDMap, mayHoldEqual: Bool) {
        self.slots = slots
        self.mayHoldEqual = mayHoldEqual
    }

    // MARK: - By hash

    /// How many entries of a map may have one tag: a save of one more looks at the rows of all.
    @usableFromInline static var equalMax: Int { 16 }

    /// What an index for equality has under a hash.
    @usableFromInline
    func postings(underHash hash: UInt64) -> PostingRange {
        guard slots != nil else { return .ranks(tree.ranks(ofKey: hash)) }
        return .hash(hash, count: entries(underHash: hash).count)
    }

    /// The entries of the map with the tag of a hash: mostly one or none. Valid as long as the content is there and
    /// unchanged.
    @usableFromInline
    func entries(underHash hash: UInt64) -> UnsafeBufferPointer<UInt64> {
        slots?.candidates(for: hash) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Whether there may be an entry with the key of a row.
    func hasEntry(withKey key: UInt64) -> Bool {
        slots.map { !$0.candidates(for: key).isEmpty } ?? tree.hasEntry(withKey: key)
    }

    /// Asks the processor for where entries with these keys stand or would.
    func ask(for keys: UnsafeBufferPointer<UInt64>) {
        if slots?.ask(for: keys) == nil { tree.ask(for: keys) }
    }

    /// Prefetches the place of one key. `body` may ask for other things while the way there is waited for.
    func ask(for key: UInt64, meanwhile body: () -> Void) {
        guard slots?.ask(for: key, meanwhile: body) == nil else { return }
        withUnsafePointer(to: key) { tree.ask(for: UnsafeBufferPointer(start: $0, count: 1)) }
        body()
    }

    /// The slot of the first of the postings, of which there is one.
    func firstSlot(in range: PostingRange) -> UInt32 {
        switch range {
        case .ranks(let ranks): return tree.slot(atRank: ranks.lowerBound)
        case .hash(let hash, _): return IDEntry.slot(entries(underHash: hash)[0]).rawValue
        }
    }

    /// Removes an entry from the map.
    @usableFromInline
    mutating func removeSlot(_ slot: Slot, underHash hash: UInt64) {
        guard let found = slots?.contains(hash, slot) else { return }
        if found {
            slots?.remove(hash, slot)
        } else {
            // The hash of a value changed that is an object. Nothing stays behind.
            slots?.remove(slot)
        }
    }
}

// In the table, and out of line: clients would copy the content to call it.
extension AnyTable {
    @usableFromInline
    func hasEntry(withKey key: UInt64, in index: Int) -> Bool {
        indexContents.withUnsafeBufferPointer { $0[index].hasEntry(withKey: key) }
    }

    @usableFromInline
    func ask(for keys: UnsafeBufferPointer<UInt64>, in index: Int) {
        indexContents.withUnsafeBufferPointer { $0[index].ask(for: keys) }
    }

    @usableFromInline
    func ask(for key: UInt64, in index: Int, meanwhile body: () -> Void) {
        indexContents.withUnsafeBufferPointer { $0[index].ask(for: key, meanwhile: body) }
    }
}
