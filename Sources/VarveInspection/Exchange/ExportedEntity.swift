internal import VarveTables

/// An entity as an export writes it, or an id that is only linked to.
struct ExportedEntity {
    enum State: String {
        case live
        /// A tombstone; its links are those that its restoration brings back.
        case deleted
        /// Only the id and its links: an entity that was deleted for good.
        case gone
        /// Only the id and its links: an entity that is still to come.
        case awaited
    }

    let state: State
    let id: StoredValue
    /// In the order of the type's fields; empty where there is no row.
    let fields: [StoredValue]
    /// The slots of the targets, in the order of the type's relations.
    let lists: [[Slot]]
    let ordinal: UInt64
}
