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

/// Notes what the indexes hold of rows while these are loaded, and they and their texts are in the cache.
@usableFromInline
struct RowNotes<Entity: EntityModelProtocol>: ~Copyable {
    @usableFromInline
    struct Column {
        @usableFromInline let key: @Sendable (UnsafePointer<Entity>) -> (key: UInt64, isExact: Bool)
        @usableFromInline let noted: LoadedEntries

        @inlinable
        init(_ definition: IndexDefinition<Entity>, _ noted: LoadedEntries) {
            key = definition.key
            self.noted = noted
        }
    }

    @usableFromInline let columns: ContiguousArray<Column>
    /// What a slot is more in the table than in the part that is loaded.
    @usableFromInline let shift: Int

    @inlinable
    init(
        _ definitions: ContiguousArray<IndexDefinition<Entity>>,
        _ noted: ContiguousArray<LoadedEntries>, shift: Int
    ) {
        columns = ContiguousArray(
            zip(definitions, noted).lazy.filter { $0.0.textFields == nil }.map(Column.init))
        self.shift = shift
    }

    @inlinable
    func note(_ row: UnsafePointer<Entity>, at slot: Int, ordinal: UInt64) {
        for column in columns {
            column.noted.entries.append(
                IndexEntry(
                    key: column.key(row).key, ordinal: ordinal,
                    slot: UInt32(truncatingIfNeeded: shift + slot)))
        }
    }
}
