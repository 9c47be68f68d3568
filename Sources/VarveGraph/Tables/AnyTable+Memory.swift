// What a table takes of the memory of its store.

extension AnyTable {
    /// Memory that is reserved for the filled table: this one, or that of a stored table; nil for none.
    package final var reservation: (any MemoryReservation)? {
        memoryReservation ?? source?.reservation
    }

    /// Whether the rows can be read of a checkpoint, leaf by leaf, instead of being in memory.
    package final var mayWait: Bool {
        descriptor.readsEveryRow && descriptor.readsEveryID && descriptor.tombstoneOwner == nil
    }

    /// What the leaves take that a stored table owns because of changes. O(such leaves)
    ///
    /// - Parameter slotBytes: what a slot of a filled table takes, with its id and its index entries.
    package final func changedBytes(slotBytes: Int) -> Int {
        links.reduce(cells.ownLeafCount * AnyTable.leafWidth * slotBytes) {
            $0 + $1.ownLeafBytes
        }
    }
}
