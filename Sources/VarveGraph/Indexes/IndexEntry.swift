/// One entry of an index: a row's slot under the key of its value.
///
/// The ordinal is the row's place in the default order. It breaks ties, and with the key it tells
/// an entry from every other without a look at a row.
@frozen
@usableFromInline
struct IndexEntry: Equatable, Sendable {
    @usableFromInline var key: UInt64
    @usableFromInline var ordinal: UInt64
    @usableFromInline var slot: UInt32

    @inlinable
    init(key: UInt64, ordinal: UInt64, slot: UInt32) {
        self.key = key
        self.ordinal = ordinal
        self.slot = slot
    }

    /// Whether this comes before an entry of the tree: by key, then by value, then by ordinal.
    ///
    /// - Parameter order: compares this entry's value with that of the row at a slot.
    @inline(__always)
    func precedes(_ other: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int) -> Bool {
        if key != other.key { return key < other.key }
        if !isExact && ordinal != other.ordinal {
            let order = order(other.slot)
            if order != 0 { return order < 0 }
        }
        return ordinal < other.ordinal
    }
}

/// A row's key in one index, or in none: making one may take as long as finding its place.
@frozen
@usableFromInline
struct KnownKey {
    /// The number of the index among the type's; -1 for none.
    @usableFromInline let index: Int
    @usableFromInline let key: UInt64
    @usableFromInline let isExact: Bool

    @inlinable
    init() {
        index = -1
        key = 0
        isExact = false
    }

    @inlinable
    init(of index: Int, _ key: (key: UInt64, isExact: Bool)) {
        self.index = index
        self.key = key.key
        isExact = key.isExact
    }
}

extension IndexEntry: RadixSorted {
    var radixKey: UInt64 { key }
}

/// Neighbouring entries of one leaf, in order, for as long as nobody mutates the tree.
@frozen
@usableFromInline
struct IndexEntrySpan {
    @usableFromInline let keys: UnsafePointer<UInt64>
    @usableFromInline let ordinals: UnsafePointer<UInt64>
    @usableFromInline let slots: UnsafePointer<UInt32>
    @usableFromInline let count: Int

    @inlinable
    subscript(index: Int) -> IndexEntry {
        IndexEntry(key: keys[index], ordinal: ordinals[index], slot: slots[index])
    }

    @usableFromInline
    init(
        keys: UnsafePointer<UInt64>, ordinals: UnsafePointer<UInt64>,
        slots: UnsafePointer<UInt32>, count: Int
    ) {
        self.keys = keys
        self.ordinals = ordinals
        self.slots = slots
        self.count = count
    }
}
