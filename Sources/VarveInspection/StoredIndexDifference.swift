internal import VarveTables
internal import VarveText

/// The first difference between an index that a checkpoint stores and the checkpoint's entities.
public struct StoredIndexDifference: Hashable, Sendable {
    /// How an entry of the index differs.
    public enum Kind: Hashable, Sendable {
        /// An entity has no entry: a query by the index does not find it.
        case missing
        /// There is an entry beside those of the entities.
        case superfluous
        /// The entry of an entity has another key than the entity's values make.
        case otherKey
        /// The entry of an entity is where a search does not look for it.
        case misplaced
    }

    /// The name of the checkpoint's file.
    public let checkpoint: String
    /// The name of the type.
    public let type: String
    /// The names of the indexed properties, with `.desc` behind those that descend.
    public let properties: [String]
    /// How the entry differs.
    public let kind: Kind
    /// Of the entity whose entry it is, or was; nil where the checkpoint has no such one.
    public let id: String?
    /// Which the entry names, or should name: the number of the entity's row in the checkpoint.
    public let slot: UInt32
}

extension StoredIndexDifference {
    init(_ difference: IndexDifference, in checkpoint: String) {
        self.checkpoint = checkpoint
        type = difference.type
        properties = difference.properties
        id = difference.id
        slot = difference.slot.rawValue
        kind =
            switch difference.kind {
            case .missing: .missing
            case .superfluous: .superfluous
            case .otherKey: .otherKey
            case .misplaced: .misplaced
            }
    }

    var message: ErrorMessage {
        let index = properties.map { "'\($0)'" }.joined(separator: ", ")
        let owner = id ?? "row \(slot), which does not exist"
        let reason =
            switch kind {
            case .missing: "has no entry for \(owner)"
            case .superfluous: "has an entry too many, for \(owner)"
            case .otherKey: "has the entry of \(owner) under another key than its values make"
            case .misplaced: "has the entry of \(owner) where a search does not find it"
            }
        return ErrorMessage(
            "\(checkpoint): the index of '\(type)' by \(index) \(reason)",
            "run 'varve compact --smallest', which drops the stored indexes; "
                + "the app's next compaction makes them again")
    }
}
