extension Context {
    /// When and where an entity came to be as it is; nil where there is none.
    package func version<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> RowMetadata? {
        guard let table = rows(of: type), let slot = table.slot(of: id), table.hasRow(at: slot)
        else { return nil }
        return table.metadata(of: slot)
    }

    /// Whether rows of a type are among those that were touched.
    package func isTouched<Entity: EntityModelProtocol>(
        _ type: Entity.Type, in changed: ChangedRows
    ) -> Bool {
        guard let position = tables.position(of: Entity._descriptor) else { return false }
        return changed.tables[position].map { !$0.rows.isEmpty } ?? false
    }
}
