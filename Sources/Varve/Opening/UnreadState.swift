internal import VarveEvents
internal import VarveGraph

/// What the log holds and the app's types do not name: types that were not registered, and relations
/// that the structs lack. It stays as it was when the store was opened, because nothing in the app
/// can change it, and goes into every checkpoint, so that an older app never loses a newer app's
/// data. (Unknown fields are in ``Schema/unknownFields``: they move with their rows.)
struct UnreadState: Sendable {
    /// By table position.
    private(set) var links: [Int: [ReplayedLinks]] = [:]
    /// By table position and slot.
    private(set) var tombstoneLists: [Int: [UInt32: TombstoneLists]] = [:]
    private let types: UnreadTypes?

    /// Of a state that is only read.
    init() { types = nil }

    struct TombstoneLists: Sendable {
        /// The transaction that made the tombstone: a later one at the same slot has other lists.
        let transaction: UInt64
        let lists: [(relation: RelationNumber, slots: [UInt32])]
    }

    /// Takes the state over behind hydration: what is in the context's tables is released.
    init(takingOver replayed: ReplayState, _ context: Context, _ schema: Schema) {
        for (position, table) in context.tables.tables.enumerated()
        where position < schema.definitions.count {
            guard let definition = schema.definitions[position] else { continue }
            let known = table.descriptor.relations.count
            let unknown = replayed.links(of: definition.number).filter { links in
                (definition.position(of: links.definition.number) ?? 0) >= known
                    && links.extent > 0
            }
            if !unknown.isEmpty { links[position] = unknown }
            if definition.relations.count > known {
                tombstoneLists[position] = Self.lists(of: definition, known: known, replayed)
            }
        }
        for definition in schema.definitions {
            if let definition { replayed.release(definition.number) }
        }
        let isEmpty = replayed.catalog.definitions.allSatisfy {
            replayed.counts(of: $0.number).slots == 0
        }
        types = isEmpty ? nil : UnreadTypes(replayed)
    }

    private static func lists(
        of definition: TypeDefinition, known: Int, _ replayed: ReplayState
    ) -> [UInt32: TombstoneLists]? {
        var found: [UInt32: TombstoneLists] = [:]
        let type = definition.number
        for slot in 0..<UInt32(truncatingIfNeeded: replayed.counts(of: type).slots) {
            let lists = replayed.deletedLists(of: type, at: slot).filter {
                (definition.position(of: $0.relation) ?? 0) >= known
            }
            guard !lists.isEmpty, let transaction = replayed.transaction(of: type, at: slot)
            else { continue }
            found[slot] = TombstoneLists(transaction: transaction.rawValue, lists: lists)
        }
        return found.isEmpty ? nil : found
    }

    /// The entities of a type that was not registered.
    func table(of type: TypeNumber) -> (any CheckpointTable)? {
        types?.state.checkpointTable(of: type)
    }
}

/// `@unchecked Sendable`: behind opening nothing changes the state, and what reads it does not look
/// up slots, which is all that would.
private final class UnreadTypes: @unchecked Sendable {
    let state: ReplayState

    init(_ state: ReplayState) { self.state = state }
}
