internal import VarveEvents
internal import VarveGraph
internal import VarveTables

/// What the log holds and the app's types do not name: types that were not registered, and relations
/// that the structs lack. It stays as it was when the store was opened, because nothing in the app
/// can change it, and goes into every checkpoint, so that an older app never loses a newer app's
/// data. (Unknown fields are in ``Schema/unknownFields``: they move with their rows.)
struct UnreadState: Sendable {
    /// By table position and slot.
    private(set) var tombstoneLists: [Int: [UInt32: TombstoneLists]] = [:]
    /// The unregistered types and the lists of unknown relations; nil where there are none.
    private let state: State?

    /// Of a state that is only read.
    init() { state = nil }

    struct TombstoneLists: Sendable {
        /// The transaction that made the tombstone: a later one at the same slot has other lists.
        let transaction: UInt64
        let lists: [(relation: RelationNumber, slots: [UInt32])]
    }

    /// Copies out of a state what is not in the context's tables.
    init(copying state: State, _ context: Context, _ schema: Schema) {
        var types = Set(state.catalog.definitions.map(\.number))
        var relations: [TypeNumber: [RelationNumber]] = [:]
        for (position, table) in context.tables.tables.enumerated()
        where position < schema.definitions.count {
            guard let definition = schema.definitions[position] else { continue }
            types.remove(definition.number)
            let unknown = definition.relations.dropFirst(table.descriptor.relations.count)
                .map(\.number)
            guard !unknown.isEmpty else { continue }
            relations[definition.number] = unknown
            tombstoneLists[position] = Self.lists(of: definition.number, unknown, state)
        }
        let isEmpty =
            types.allSatisfy { state.counts(of: $0).slots == 0 }
            && relations.allSatisfy { type, unknown in
                unknown.allSatisfy { state.linkCount(of: type, relation: $0) == 0 }
            }
        self.state = isEmpty ? nil : state.part(types: types, relations: relations)
    }

    private static func lists(
        of type: TypeNumber, _ unknown: [RelationNumber], _ state: State
    ) -> [UInt32: TombstoneLists]? {
        guard state.counts(of: type).tombstones > 0, var cursor = state.entries(of: type) else {
            return nil
        }
        var found: [UInt32: TombstoneLists] = [:]
        while let entry = cursor.nextEntry() {
            guard entry.presence == .tombstone else { continue }
            let lists = state.keptLists(of: type, at: entry.slot).filter {
                unknown.contains($0.relation)
            }
            guard !lists.isEmpty else { continue }
            found[entry.slot.rawValue] = TombstoneLists(
                transaction: entry.stamps.transaction,
                lists: lists.map { ($0.relation, $0.slots.map(\.rawValue)) })
        }
        return found.isEmpty ? nil : found
    }

    /// The entities of a type that was not registered.
    func table(of type: TypeNumber) -> (any CheckpointTable)? {
        let tables = state?.checkpointSource.tables ?? []
        let index = Int(type.rawValue) - 1
        return tables.indices.contains(index) ? tables[index] : nil
    }

    /// Calls `body` with each list of an unknown relation that is not empty, from a slot on, in order of slots, until it
    /// returns false. The buffers are valid during the calls only.
    func forEachList(
        of type: TypeNumber, relation: RelationNumber, from first: UInt32,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        state?.forEachTargets(of: type, relation: relation, from: .init(first), while: body)
    }
}
