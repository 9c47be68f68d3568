package import VarveEvents

/// The first difference between an index and the live rows of its table.
package struct IndexDifference: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A live row has no entry.
        case missing
        /// There is an entry beside those of the live rows.
        case superfluous
        /// The entry of a live row has another key than the row's values make.
        case otherKey
        /// The entry of a live row is where a search does not look for it.
        case misplaced
    }

    package let kind: Kind
    /// The name of the type.
    package let type: String
    /// The names of the indexed properties, with `.desc` behind those that descend.
    package let properties: [String]
    /// Which the entry names, or should name.
    package let slot: Slot
    /// Of the entity at the slot; nil where the table has no such slot.
    package let id: String?
}

/// Why an index of a state is not that of its rows.
package enum IndexProblem: Error, Equatable, Sendable {
    case difference(IndexDifference)
    /// A row has no key: its bytes are not what its type says.
    case row(type: String, id: String, EntityFault)
}
