internal import VarveEvents
internal import VarveGraph
internal import VarveTables

/// The indexes of one of the app's types that checkpoints store: those whose keys depend on stored values alone.
struct StoredIndexes: Sendable {
    struct Entry: Sendable {
        let fields: [StoredIndexField]
        let declaration: IndexDeclaration
    }

    /// By the number of the index among the type's; nil for one that is not stored.
    private(set) var entries: [Entry?]

    /// - Parameter definition: what the log, with what the app declares, says of the type.
    init(of descriptor: EntityDescriptor, as definition: TypeDefinition) {
        entries = (0..<descriptor.indexCount).map { index in
            guard let fields = descriptor.storedFields(ofIndex: index) else { return nil }
            let declared = fields.compactMap { field -> IndexDeclaration.Field? in
                guard let logged = definition.field(named: field.name), logged.type == field.type
                else { return nil }
                return .init(logged.number, isDescending: field.isDescending)
            }
            guard declared.count == fields.count else { return nil }
            return Entry(fields: fields, declaration: IndexDeclaration(declared))
        }
    }

    /// Those of the indexes that a state has, with keys of the types that the app's properties are of.
    func stored(in state: State, of type: TypeNumber) -> StoredIndexes {
        let logged = state.catalog.definition(of: type)
        var indexes = self
        indexes.entries = entries.map { entry in
            guard let entry, state.hasIndex(of: type, entry.declaration) else { return nil }
            let isSame = entry.fields.allSatisfy { field in
                logged?.field(named: field.name)?.type == field.type
            }
            return isSame ? entry : nil
        }
        return indexes
    }

    /// What a checkpoint is to store, each once.
    var declarations: [IndexDeclaration] {
        var known: Set<IndexDeclaration> = []
        return entries.compactMap { $0?.declaration }.filter { known.insert($0).inserted }
    }
}

extension StoreState {
    /// The indexes that a checkpoint of the state is to store, of each of the app's types.
    var storedIndexes: [TypeNumber: [IndexDeclaration]] {
        storedIndexes(ofTablesAt: context.tables.tables.unfilled.indices)
    }

    /// Those of some tables.
    func storedIndexes(
        ofTablesAt positions: some Sequence<Int>
    ) -> [TypeNumber: [IndexDeclaration]] {
        var declared: [TypeNumber: [IndexDeclaration]] = [:]
        for position in positions {
            let table = context.tables.tables.unfilled[position]
            guard table.descriptor.tombstoneOwner == nil,
                let definition = schema.definition(atTable: position)
            else { continue }
            declared[definition.number] =
                StoredIndexes(of: table.descriptor, as: definition).declarations
        }
        return declared
    }
}
