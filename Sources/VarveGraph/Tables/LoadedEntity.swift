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
