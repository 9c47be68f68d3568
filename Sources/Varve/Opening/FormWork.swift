internal import VarveEvents
internal import VarveGraph
internal import VarveTables

/// The search for values of one type that the log holds in another form than they are written in now.
struct FormWork {
    let entities: TableWork
    /// Nil while nothing of the type was ever deleted.
    let tombstones: AnyTable?

    /// One for each type of which there may be such values. All tables are filled.
    static func all(_ works: [TableWork]) -> [FormWork] {
        works.filter { !$0.isOfTombstones && $0.content.subject.mayHaveOtherForms }.map { work in
            let tombstones = works.first { $0.isOfTombstones && $0.position == work.position }
            return FormWork(entities: work, tombstones: tombstones?.table)
        }
    }

    func search() throws(StoreError) -> LoggedForms? {
        try entities.named(0..<UInt32(truncatingIfNeeded: entities.content.slotCount)) {
            () throws(CodecError) in try find()
        }
    }

    /// Compares the rows with what would be written for them now, where that may differ.
    private func find() throws(CodecError) -> LoggedForms? {
        let (definition, table) = (entities.definition, entities.table)
        guard
            var search = LoggedFormSearch.make(
                definition, knownFields: table.descriptor.fields.count),
            var reader = entities.state.reader(of: definition.number, as: definition)
        else { return nil }
        try reader.forEach { entity throws(CodecError) in
            try search.take(entity.slot.rawValue, entity.row) { writer throws(CodecError) in
                guard entity.isDeleted, let tombstones else {
                    let slot = VarveGraph.Slot(entity.slot.rawValue)
                    return try table.storeRow(at: slot, into: &writer)
                }
                if let slot = try tombstones.descriptor.operations.find(tombstones, entity.id) {
                    try tombstones.storeRow(at: slot, into: &writer)
                }
            }
        }
        return search.finish()
    }
}
