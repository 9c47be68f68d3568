package import VarveEvents

/// What a table knows of a row beside its bytes.
package struct RowMetadata: Hashable, Sendable {
    package var presence: EntityPresence
    /// Position and last change; of an entity that is gone, when it went.
    package var stamps: EntityStamps
    /// The definition that the row was written under: an index into the type's revisions.
    package var revision: UInt32

    package init(presence: EntityPresence, stamps: EntityStamps, revision: UInt32) {
        self.presence = presence
        self.stamps = stamps
        self.revision = revision
    }

    /// Of an id that was mentioned, of an entity that is still to come.
    package static let vacant = RowMetadata(
        presence: .vacant, stamps: EntityStamps(ordinal: 0, transaction: 0, updatedAt: 0),
        revision: 0)
}
