internal import VarveTables

/// Reads the rows that a query asks for, and of them the fields that it names. Belongs to one thread.
final class QueryRows {
    private let state: State
    private let fields: [TypeNumber: Set<Int>]
    private var readers: [TypeNumber: TypeReader] = [:]

    init(_ state: State, fields: [TypeNumber: Set<Int>]) {
        self.state = state
        self.fields = fields
    }

    /// The entity or tombstone at a slot; nil where an id was only mentioned.
    func row(of type: TypeNumber, at slot: Slot) throws(InspectionError) -> QueryRow? {
        guard let reader = reader(of: type) else { return nil }
        do throws(CodecError) {
            return try reader.row(at: slot)
        } catch {
            throw .entity(type: reader.decoder.definition.name, reason: "\(error)")
        }
    }

    /// A scan of the rows of a type; nil where the store does not know it.
    func scan(
        of type: TypeDefinition, where condition: BoundExpression?, deleted: Bool
    ) -> RowScan? {
        guard let reader = state.reader(of: type.number) else { return nil }
        return RowScan(
            reader, RowDecoder(type, fields[type.number, default: []]), where: condition,
            deleted: deleted)
    }

    /// The id at a slot, also where no entity has it.
    func id(of type: TypeNumber, at slot: Slot) throws(InspectionError) -> StoredContent {
        guard let definition = state.catalog.definition(of: type),
            let entry = state.entry(of: type, at: slot)
        else { return QueryValue.null }
        do throws(CodecError) {
            return try StoredValue(definition.idType, bytes: entry.id).content
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }

    /// The slots that a relation of an entity leads to, in their order.
    func targets(of slot: Slot, _ relation: BoundRelation) -> [Slot] {
        state.targets(of: relation.source, at: slot, relation: relation.number)
    }

    private func reader(of type: TypeNumber) -> TypeReader? {
        if let known = readers[type] { return known }
        guard let definition = state.catalog.definition(of: type),
            let reader = state.reader(of: type)
        else { return nil }
        let made = TypeReader(RowDecoder(definition, fields[type, default: []]), reader)
        readers[type] = made
        return made
    }
}

/// A class, because the reader of a type cannot be copied into a dictionary.
private final class TypeReader {
    let decoder: RowDecoder
    private var reader: StateReader

    init(_ decoder: RowDecoder, _ reader: consuming StateReader) {
        self.decoder = decoder
        self.reader = reader
    }

    func row(at slot: Slot) throws(CodecError) -> QueryRow? {
        let decoder = decoder
        return try reader.read(slot) { entity throws(CodecError) in
            try decoder.row(entity, isTransient: false, isAdmitted: false)
        }
    }
}
