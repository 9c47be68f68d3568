internal import VarveEvents
internal import VarveLog
internal import VarveTables

/// An entity that differs between two states of a store.
public struct InspectedDifference: Sendable {
    /// The entity that differs.
    public let entity: EntityName
    /// Nil where it was not there.
    public let before: InspectedEntity?
    /// The entity in the second state; nil where it is not there.
    public let after: InspectedEntity?
}

extension Inspection {
    /// The entities that differ between the states behind two transactions, whichever is the older
    /// one, in the order in which transactions name them. Goes back to the older one.
    public func difference(
        from first: TransactionID, to second: TransactionID
    ) throws(InspectionError) -> [InspectedDifference] {
        try goBack(to: max(first, second))
        let laterState = try replay()
        let names = try entities(from: min(first, second), through: max(first, second))
        try goBack(to: min(first, second))
        let earlierState = try replay()
        var differences: [InspectedDifference] = []
        for name in names {
            let (earlier, later) = (
                try Self.live(name, in: earlierState), try Self.live(name, in: laterState)
            )
            guard let some = later ?? earlier, !Self.isSame(earlier, later) else { continue }
            let (before, after) = first <= second ? (earlier, later) : (later, earlier)
            differences.append(
                InspectedDifference(
                    entity: EntityName(type: some.type, id: some.id), before: before,
                    after: after))
        }
        return differences
    }

    private struct Name: Hashable {
        let type: TypeNumber
        let id: [UInt8]
    }

    private func entities(
        from older: TransactionID, through newer: TransactionID
    ) throws(InspectionError) -> [Name] {
        var seen: Set<Name> = []
        var names: [Name] = []
        guard older < newer else { return [] }
        for number in (older.rawValue + 1)...newer.rawValue {
            try with(TransactionID(number)) { view throws(InspectionError) in
                for entity in view.entities {
                    let name = Name(type: entity.type, id: [UInt8](entity.id))
                    if seen.insert(name).inserted { names.append(name) }
                }
            }
        }
        return names
    }

    private static func live(
        _ name: Name, in state: State
    ) throws(InspectionError) -> InspectedEntity? {
        try state.inspecting { () throws(InspectionError) in
            guard let definition = state.catalog.definition(of: name.type),
                let slot = name.id.withUnsafeBytes({ state.slot(of: name.type, id: $0) }),
                let entity = try describe(definition, at: slot, in: state), !entity.isDeleted
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
