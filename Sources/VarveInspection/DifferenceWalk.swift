internal import VarveEvents
internal import VarveTables

/// The entities that differ between two states of a store, one after the other.
///
/// Holds both states, which share what is the same in them, and the names of the entities that transactions between
/// them mention. An entity is decoded when it is its turn. Belongs to one thread.
public struct DifferenceWalk {
    private let before: State
    private let after: State
    private var names: ArraySlice<MentionedEntity>

    init(from before: State, to after: State, among names: [MentionedEntity]) {
        self.before = before
        self.after = after
        self.names = names[...]
    }

    /// The next entity that differs; nil behind the last.
    public mutating func next() throws(InspectionError) -> InspectedDifference? {
        while let name = names.popFirst() {
            let (old, new) = (try Self.live(name, in: before), try Self.live(name, in: after))
            guard let some = new ?? old, !Self.isSame(old, new) else { continue }
            return InspectedDifference(
                entity: EntityName(type: some.type, id: some.id), before: old, after: new)
        }
        return nil
    }

    private static func live(
        _ name: MentionedEntity, in state: State
    ) throws(InspectionError) -> InspectedEntity? {
        try state.inspecting { () throws(InspectionError) in
            guard let definition = state.catalog.definition(of: name.type),
                let slot = name.id.withUnsafeBytes({ state.slot(of: name.type, id: $0) }),
                let entity = try Inspection.describe(definition, at: slot, in: state),
                !entity.isDeleted
            else { return nil }
            return InspectedEntity(entity, of: definition)
        }
    }

    private static func isSame(_ first: InspectedEntity?, _ second: InspectedEntity?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.fields == second.fields
            && first.links.elementsEqual(second.links) { $0.targets == $1.targets }
    }
}

/// An entity by what transactions call it.
struct MentionedEntity: Hashable {
    let type: TypeNumber
    let id: [UInt8]
}
