internal import VarveEvents
internal import VarveGraph

/// What a draft does to another state, by the places that its entities have there.
struct DraftPlan {
    /// An entity that the draft put there.
    struct Insertion {
        /// In the draft.
        let entity: EntityPlace
        let place: EntityPlace
        let row: [UInt8]
        /// Where it is in the draft's insertion order.
        let ordinal: UInt64
    }

    /// Properties that have another value, by their position.
    struct Update {
        /// In the draft.
        let entity: EntityPlace
        let place: EntityPlace
        let fields: [Int: [UInt8]]
    }

    /// A to-one relation that leads elsewhere.
    struct OwnerChange {
        let place: EntityPlace
        let relation: Int
        let target: UInt32?
    }

    /// A list that has other links, or another order.
    struct ListChange {
        let place: EntityPlace
        let relation: Int
        /// The list in the draft.
        let mine: ContiguousArray<UInt32>
        let added: Set<UInt32>
        let removed: Set<UInt32>
        /// Whether the draft says the order of what both sides list.
        let leads: Bool
    }

    /// An entity that the draft deleted.
    struct Deletion {
        let place: EntityPlace
        /// Its tombstone, where that is not the entity as it was; nil for the entity as it is.
        let tombstone: DraftTombstone?
        let cause: DeleteCause?
        /// What the lists of the draft's base held, by relation: what came since was not seen.
        let seen: [Set<UInt32>]
        /// What the draft linked to the id behind the deletion, by relation: these links wait for another entity.
        let waiting: [Set<UInt32>]
    }

    /// A tombstone that the draft saved or purged by itself.
    struct TombstoneChange {
        let place: EntityPlace
        let tombstone: DraftTombstone
    }

    /// An entity that the draft has in no list of a relation that deletes orphans, and that stays all the same.
    struct Unheld: Hashable {
        let place: EntityPlace
        /// The entity's own side of the relation.
        let relation: Int
    }

    /// The greatest number that the draft has given as the id of a type.
    struct GivenNumber {
        let table: Int
        let number: UInt64
    }

    var insertions: [Insertion] = []
    var updates: [Update] = []
    var owners: [OwnerChange] = []
    var lists: [ListChange] = []
    var deletions: [Deletion] = []
    /// Entities that the draft deleted, and that stay because a choice was for the others.
    var spared: Set<EntityPlace> = []
    var tombstones: [TombstoneChange] = []
    var unheld: Set<Unheld> = []
    var numbers: [GivenNumber] = []
}

/// What the trash has of an entity that is not there.
enum DraftTombstone {
    case none
    case row([UInt8], lists: [(relation: Int, entities: [EntityPlace])])
}
