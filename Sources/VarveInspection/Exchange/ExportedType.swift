/// The entities of one type, in the order in which an export writes them.
final class ExportedType {
    enum Presence: UInt8 {
        case vacant, live, deleted
    }

    /// With the relations alone whose targets are exported too.
    let definition: TypeDefinition
    /// Of entities, and of tombstones where these are exported.
    let order: [UInt32]
    private let presence: [Presence]
    private let exportsDeleted: Bool
    /// Ids without an exported row that a link leads to or comes from.
    private(set) var mentioned: Set<UInt32> = []
    let links: [ReplayedLinks?]
    private var reader: EntityReader

    init(
        _ definition: TypeDefinition, _ state: ReplayState, exportsDeleted: Bool
    ) throws(CodecError) {
        guard var reader = state.reader(of: definition.number) else {
            preconditionFailure("a defined type has a table")
        }
        var presence = [Presence](repeating: .vacant, count: reader.slotCount)
        var order: [(ordinal: UInt64, slot: UInt32)] = []
        try reader.forEach { entity throws(CodecError) in
            presence[Int(entity.slot)] = entity.isDeleted ? .deleted : .live
            if exportsDeleted || !entity.isDeleted {
                order.append((entity.ordinal.rawValue, entity.slot))
            }
        }
        order.sort { ($0.ordinal, $0.slot) < ($1.ordinal, $1.slot) }
        let columns = state.links(of: definition.number)
        self.definition = definition
        self.order = order.map(\.slot)
        self.presence = presence
        self.exportsDeleted = exportsDeleted
        self.reader = reader
        links = definition.relations.map { relation in
            columns.first { $0.definition.number == relation.number }
        }
    }

    func presence(of slot: UInt32) -> Presence {
        Int(slot) < presence.count ? presence[Int(slot)] : .vacant
    }

    func isExported(_ slot: UInt32) -> Bool {
        switch presence(of: slot) {
        case .live: true
        case .deleted: exportsDeleted
        case .vacant: false
        }
    }

    func mention(_ slot: UInt32) { mentioned.insert(slot) }

    /// Reads the row of an entity or tombstone.
    func read<Result>(
        _ slot: UInt32, _ body: (ReplayedEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        try reader.read(slot, body)
    }
}
