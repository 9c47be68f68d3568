internal import VarveTables

/// The entities of one type, in the order in which an export writes them.
final class ExportedType {
    enum Presence: UInt8 {
        case vacant, live, deleted
    }

    /// With the relations alone whose targets are exported too.
    let definition: TypeDefinition
    /// Of entities, and of tombstones where these are exported.
    let order: [Slot]
    private let presence: [Presence]
    private let exportsDeleted: Bool
    /// Ids without an exported row that a link leads to or comes from.
    private(set) var mentioned: Set<Slot> = []
    private var reader: StateReader

    init(
        _ definition: TypeDefinition, _ state: State, exportsDeleted: Bool
    ) throws(CodecError) {
        guard var reader = state.reader(of: definition.number) else {
            preconditionFailure("a defined type has a table")
        }
        var presence = [Presence](repeating: .vacant, count: reader.slotCount)
        var order: [(ordinal: UInt64, slot: Slot)] = []
        try reader.forEach { entity throws(CodecError) in
            presence[Int(entity.slot.rawValue)] = entity.isDeleted ? .deleted : .live
            if exportsDeleted || !entity.isDeleted {
                order.append((entity.ordinal.rawValue, entity.slot))
            }
        }
        order.sort { ($0.ordinal, $0.slot) < ($1.ordinal, $1.slot) }
        self.definition = definition
        self.order = order.map(\.slot)
        self.presence = presence
        self.exportsDeleted = exportsDeleted
        self.reader = reader
    }

    func presence(of slot: Slot) -> Presence {
        let index = Int(slot.rawValue)
        return index < presence.count ? presence[index] : .vacant
    }

    func isExported(_ slot: Slot) -> Bool {
        switch presence(of: slot) {
        case .live: true
        case .deleted: exportsDeleted
        case .vacant: false
        }
    }

    func mention(_ slot: Slot) { mentioned.insert(slot) }

    /// Reads the row of an entity or tombstone.
    func read<Result>(
        _ slot: Slot, _ body: (StateEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        try reader.read(slot, body)
    }
}
