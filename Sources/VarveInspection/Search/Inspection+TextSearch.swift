internal import VarveEvents
internal import VarveTables

extension Inspection {
    /// Throws where the history knows no such type, or no such property of it.
    public func check(_ scope: TextSearchScope) throws(InspectionError) {
        guard let catalog = try newestCatalog() else { return }
        if let type = scope.type, catalog.definition(named: type) == nil {
            throw .noSuchType(name: type, known: catalog.definitions.map(\.name))
        }
        guard let field = scope.field else { return }
        // A property that was removed or renamed is still in the history.
        let known = catalog.revisions.map(\.definition)
            .filter { scope.type == nil || catalog.definition(of: $0.number)?.name == scope.type }
            .flatMap { $0.fields.map(\.name) }
        guard known.contains(field) else {
            throw .noSuchField(name: field, type: scope.type, known: Set(known).sorted())
        }
    }

    /// A property of an entity or of its tombstone at the end of the log.
    func newestField(
        _ name: String, of entity: EntityName
    ) throws(InspectionError) -> InspectedValue? {
        try reading { state throws(InspectionError) in
            guard let definition = state.catalog.definition(named: entity.type),
                let slot = entity.id.stored.bytes.withUnsafeBytes({
                    state.slot(of: definition.number, id: $0)
                }), let found = try Self.describe(definition, at: slot, in: state)
            else { return nil }
            return found.fields.first { $0.name == name }.map { InspectedValue($0.value) }
        }
    }
}
