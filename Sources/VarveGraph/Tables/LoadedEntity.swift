/// The bytes of an entity that is there, for a table to be filled with.
@frozen
@usableFromInline
package struct LoadedEntity {
    /// Both outlive the call that they are passed to.
    @usableFromInline let id: UnsafeRawBufferPointer
    @usableFromInline let row: UnsafeRawBufferPointer
    @usableFromInline let metadata: RowMetadata

    package init(id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer, metadata: RowMetadata) {
        self.id = id
        self.row = row
        self.metadata = metadata
    }
}

/// Entries of one index for rows that were loaded. An object for each index, because indexes are made by
/// several threads at once.
@usableFromInline
final class LoadedEntries {
    @exclusivity(unchecked) @usableFromInline var entries = ContiguousArray<IndexEntry>()
    /// What was noted while parts of the table were loaded, in their order.
    @exclusivity(unchecked) @usableFromInline var parts: [ContiguousArray<IndexEntry>] = []

    /// Gives all of them away.
    @usableFromInline
    func takeAll() -> [ContiguousArray<IndexEntry>] {
        defer {
            parts = []
            entries = []
        }
        return entries.isEmpty ? parts : parts + [entries]
    }

    @inlinable
    init() {}
}
