/// The bytes of an entity that is there, for a table to be filled with.
@frozen
@usableFromInline
package struct LoadedEntity {
    /// Both outlive the call that they are passed to.
    @usableFromInline let id: UnsafeRawBufferPointer
    @usableFromInline let row: UnsafeRawBufferPointer
    @usableFromInline package let metadata: RowMetadata

    package init(id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer, metadata: RowMetadata) {
        self.id = id
        self.row = row
        self.metadata = metadata
    }
}

/// Entries of one index for rows that were loaded. An object for each index, because indexes are made by
/// several threads at once.
final class LoadedEntries {
    @exclusivity(unchecked) var entries = ContiguousArray<IndexEntry>()
    /// What was noted while parts of the table were loaded, in their order.
    @exclusivity(unchecked) var parts: [ContiguousArray<IndexEntry>] = []

    /// Gives all of them away.
    func takeAll() -> [ContiguousArray<IndexEntry>] {
        defer {
            parts = []
            entries = []
        }
        return entries.isEmpty ? parts : parts + [entries]
    }
}

/// Notes what the indexes hold of rows while these are loaded, and they and their texts are in the cache.
struct RowNotes: ~Copyable {
    /// No tuple: a function in one is called through a conversion.
    private struct Column {
        let definition: IndexDefinition
        let noted: LoadedEntries
    }

    private let columns: ContiguousArray<Column>
    /// What a slot is more in the table than in the part that is loaded.
    private let shift: Int

    init(
        _ definitions: ContiguousArray<IndexDefinition>, _ noted: ContiguousArray<LoadedEntries>,
        shift: Int
    ) {
        columns = ContiguousArray(
            zip(definitions, noted).lazy.filter { $0.0.textFields == nil }
                .map { Column(definition: $0.0, noted: $0.1) })
        self.shift = shift
    }

    func note(_ row: UnsafeRawPointer, at slot: Int, ordinal: UInt64) {
        for column in columns {
            column.noted.entries.append(
                IndexEntry(
                    key: column.definition.key(row).key, ordinal: ordinal,
                    slot: UInt32(truncatingIfNeeded: shift + slot)))
        }
    }
}
