/// Something that a transaction writes as a whole, and of which one transaction wrote last.
enum WrittenItem: Hashable {
    /// Whether an entity has a row, a tombstone, or neither, and its place in the order of its type.
    case row(EncodedEntity)
    case field(EncodedEntity, FieldNumber)
    /// Where a to-one relation leads.
    case owner(LinkScan.List)
    /// Whether and in which place a to-many list holds an entity.
    case link(LinkScan.List, target: [UInt8])

    /// The entity that the item is of, or that holds the list.
    var entity: EncodedEntity {
        switch self {
        case .row(let entity), .field(let entity, _): entity
        case .owner(let list), .link(let list, _): list.holder
        }
    }

    var isRow: Bool {
        if case .row = self { true } else { false }
    }

    /// The list of a link.
    var list: LinkScan.List? {
        if case .link(let list, _) = self { list } else { nil }
    }
}

/// What became of a transaction's version of an item.
enum VersionStanding {
    /// It is the current version.
    case current
    /// It was withdrawn: the version before it is in force.
    case withdrawn
    /// Another transaction has written since.
    case overwritten
}
