internal import VarveEvents
internal import VarveGraph

/// How the entity types of a context are written: their definitions by table position.
struct Schema: Sendable {
    /// What the log says about the type of each table; nil for tables of tombstones that no
    /// relation leads to, which no event names.
    var definitions: [TypeDefinition?] { matched.definitions }
    /// By table position.
    var descriptors: [EntityDescriptor] { matched.descriptors }
    private var matched = MatchedTypes([], [])
    /// Definitions that the log lacks so far: the next transaction starts with them.
    private(set) var pending: [TypeDefinition] = []
    /// Bytes of fields that the log knows and the app does not, by table position.
    var unknownFields: [Int: UnknownFields] = [:]
    /// Rows that the app's types cannot read, by table position.
    var withheldRows: [Int: WithheldRows] = [:]
    /// Values that the log holds in another form than they are written in, by table position.
    var loggedForms: [Int: LoggedForms] = [:]

    /// What the log says about the type of a table; nil also where the table came later.
    func definition(atTable position: Int) -> TypeDefinition? {
        position < definitions.count ? definitions[position] : nil
    }

    /// Whether the context has tables of types that were not matched yet.
    func lacksTypes(of context: borrowing Context) -> Bool {
        context.tables.tables.count > definitions.count
    }

    /// Matches the types of a context's tables with the log's.
    ///
    /// - Parameter isLateAddition: whether the store is already open, so that entities which the
    ///   log may hold for a new type were not read.
    /// - Returns: the types as they are declared; none where there is nothing to match.
    @discardableResult
    mutating func extend(
        to context: Context, catalog: Catalog, isLateAddition: Bool
    ) throws(StoreError) -> [DeclaredType] {
        guard lacksTypes(of: context) else { return [] }
        let tables = context.tables.tables.unfilled
        if isLateAddition {
            let problems = lateProblems(tables[definitions.count...], catalog)
            guard problems.isEmpty else { throw .schema(problems) }
        }
        let (declared, positions) = try declaredTypes(of: context)
        let merge = catalog.merging(declared: declared)
        guard merge.errors.isEmpty else { throw .schema(merge.errors.map(SchemaProblem.init)) }
        var definitions: [TypeDefinition?] = Array(repeating: nil, count: tables.count)
        for (position, definition) in zip(positions, merge.resolved) {
            definitions[position] = definition
            let known = tables[position].descriptor.fields.count
            if definition.fields.count > known, unknownFields[position] == nil {
                unknownFields[position] = UnknownFields(definition.fields[known...])
            }
        }
        matched = MatchedTypes(definitions, tables)
        pending = merge.definitions
        return declared
    }

    /// The types of a context as the catalog wants them declared, and the positions of their tables.
    func declaredTypes(
        of context: Context
    ) throws(StoreError) -> (types: [DeclaredType], positions: [Int]) {
        var problems: [SchemaProblem] = []
        var declared: [DeclaredType] = []
        var positions: [Int] = []
        for (position, table) in context.tables.tables.unfilled.enumerated()
        where isDefined(table, in: context) {
            if let type = table.descriptor.declaredType(&problems) {
                declared.append(type)
                positions.append(position)
            }
        }
        guard problems.isEmpty else { throw .schema(problems) }
        return (declared, positions)
    }

    /// Whether rows of any type have something in the log that the app's type does not write itself.
    var completesRows: Bool { !loggedForms.isEmpty || !unknownFields.isEmpty }

    /// Whether rows of one type have something in the log that the app's type does not write itself.
    func completesRows(at position: Int) -> Bool {
        loggedForms[position] != nil || unknownFields[position] != nil
    }

    /// The position of a type's table; nil where the app has no such type.
    func position(of type: TypeNumber) -> Int? { matched.position(of: type) }

    /// The number by which events name the type of a table, if any event does: without the rest of its definition.
    /// The table is one that was matched.
    func number(ofTable position: Int) -> TypeNumber? { matched.numbers[position] }

    /// Whether rows of a table may be written otherwise than they were logged.
    func mayBeReformed(at position: Int) -> Bool { matched.areReformable[position] }

    /// Makes of a row as the app writes it, from `start` to the end of a writer, the row of the log.
    ///
    /// - Parameter isFormer: whether the row is one from before the running transaction.
    func completeRow(
        of slot: UInt32, at position: Int, in writer: inout ByteWriter, from start: Int = 0,
        isFormer: Bool = false
    ) throws(CodecError) {
        if let forms = loggedForms[position], let definition = definitions[position] {
            try forms.apply(to: slot, definition, in: &writer, from: start)
        }
        if let unknown = unknownFields[position] {
            writer.write(isFormer ? unknown.former(of: slot) : unknown[slot])
        }
    }

    /// A transaction is in the log: what its rows were before is not asked for any more.
    mutating func forgetFormerFields() {
        for position in unknownFields.keys { unknownFields[position]?.forgetFormer() }
    }

    /// The pending definitions are in the log.
    mutating func didLogPending() { pending = [] }

    /// A tombstone is told by its entity's events; its type is defined only where a relation
    /// leads to it.
    private func isDefined(_ table: AnyTable, in context: Context) -> Bool {
        guard table.descriptor.tombstoneOwner != nil else { return true }
        guard let position = context.tables.position(of: table.descriptor) else { return false }
        return context.tables.tables.unfilled.contains { other in
            other.relations.contains { $0.childTable == position }
        }
    }

    private func lateProblems(
        _ tables: ArraySlice<AnyTable>, _ catalog: Catalog
    ) -> [SchemaProblem] {
        tables.compactMap { table in
            guard catalog.definition(named: table.descriptor.name) != nil else { return nil }
            return SchemaProblem(
                type: table.descriptor.name, property: nil,
                reason: "the store holds entities of this type: name it when opening the store")
        }
    }
}

/// Types of an app with what the log says about them. An object: a schema is copied where one of its parts changes.
private final class MatchedTypes: Sendable {
    /// By table position.
    let definitions: [TypeDefinition?]
    /// By table position.
    let descriptors: [EntityDescriptor]
    /// By table position.
    let numbers: [TypeNumber?]
    /// By table position, whether rows may be written otherwise than they were logged.
    let areReformable: [Bool]
    /// The positions of tables, by type number - 1; -1 where there is none.
    private let positions: [Int]

    init(_ definitions: [TypeDefinition?], _ tables: ContiguousArray<AnyTable>) {
        self.definitions = definitions
        descriptors = tables.map(\.descriptor)
        numbers = definitions.map { $0?.number }
        areReformable = zip(definitions, tables).map { definition, table in
            let known = table.descriptor.fields.count
            return definition?.fields.prefix(known).contains { $0.type.mayBeReformed } ?? false
        }
        let greatest = numbers.compactMap { $0?.rawValue }.max() ?? 0
        var positions = [Int](repeating: -1, count: Int(greatest))
        for (position, number) in numbers.enumerated() {
            if let number { positions[Int(number.rawValue) - 1] = position }
        }
        self.positions = positions
    }

    func position(of type: TypeNumber) -> Int? {
        let index = Int(type.rawValue) - 1
        guard positions.indices.contains(index), positions[index] >= 0 else { return nil }
        return positions[index]
    }
}

/// The fields of a type that an app does not know: their bytes stay beside each row.
struct UnknownFields: Sendable {
    /// What a new entity gets.
    let fill: [UInt8]
    /// The bytes of entities that have others.
    private var bytesBySlot: [UInt32: [UInt8]] = [:]
    /// What they were before the running transaction, of entities of which a reversal changed them: they are no part
    /// of the tables, whose undo log has the rest.
    private var formerBySlot: [UInt32: [UInt8]] = [:]
    private let fields: ArraySlice<FieldDefinition>

    init(_ fields: ArraySlice<FieldDefinition>) {
        self.fields = fields
        fill = fields.flatMap { $0.fill ?? [] }
    }

    /// How many entities have another value of each field than a new one gets. O(n).
    func valueCounts() -> [FieldNumber: Int] {
        var counts: [FieldNumber: Int] = [:]
        for bytes in bytesBySlot.values {
            bytes.withReader { reader in
                for field in fields {
                    let start = reader.position
                    // Bytes that were cut from a row whose fields were passed over then.
                    guard (try? field.type.skip(&reader)) != nil else { return }
                    let value = reader.slice(from: start, to: reader.position)
                    if !value.elementsEqual(field.fill ?? []) {
                        counts[field.number, default: 0] += 1
                    }
                }
            }
        }
        return counts
    }

    subscript(slot: UInt32) -> [UInt8] {
        get { bytesBySlot[slot] ?? fill }
        set { bytesBySlot[slot] = newValue == fill ? nil : newValue }
    }

    /// The fields from a reader's position in a row on. A row from before a field has what a new one gets.
    func bytes(from reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var bytes = ByteWriter()
        for field in fields {
            if reader.isAtEnd {
                bytes.write(field.fill ?? [])
            } else {
                bytes.write(try field.type.readSlice(&reader))
            }
        }
        return bytes.copyBytes()
    }

    /// Sets the bytes of an entity in a transaction, and keeps the former ones.
    mutating func replace(of slot: UInt32, with bytes: [UInt8]) {
        if formerBySlot[slot] == nil { formerBySlot[slot] = self[slot] }
        self[slot] = bytes
    }

    func former(of slot: UInt32) -> [UInt8] { formerBySlot[slot] ?? self[slot] }

    /// Whether a reversal has changed them in the running transaction.
    func areChanged(of slot: UInt32) -> Bool { former(of: slot) != self[slot] }

    /// Adds the fields that a reversal has changed in the running transaction, where the entity had a row before
    /// and has one now.
    func noteChanges(
        of slot: UInt32, in changes: inout FieldChanges
    ) throws(CodecError) {
        guard let before = formerBySlot[slot], before != self[slot] else { return }
        try before.withReader { before throws(CodecError) in
            try self[slot].withReader { now throws(CodecError) in
                for position in fields.indices {
                    let old = try fields[position].type.readSlice(&before)
                    let new = try fields[position].type.readSlice(&now)
                    try changes.append(
                        position, old: { $0.write(old) }, new: { $0.write(new) })
                }
            }
        }
    }

    mutating func forgetFormer() { formerBySlot = [:] }

    /// An entity has gone for good: another of its id has nothing of it.
    mutating func forget(_ slot: UInt32) { bytesBySlot[slot] = nil }
}

extension EntityDescriptor {
    /// The type as the catalog wants it declared, or nil, with the reasons added to `problems`.
    func declaredType(_ problems: inout [SchemaProblem]) -> DeclaredType? {
        guard case .stored(let idType, _) = idKind else {
            problems.append(
                SchemaProblem(
                    type: name, property: "id",
                    reason: "its type has no stored form: make it Storable or Codable"))
            return nil
        }
        let count = problems.count
        let declaredFields = fields.compactMap { declaredField($0, &problems) }
        checkIndexes(&problems)
        guard problems.count == count else { return nil }
        return DeclaredType(
            name: name, idType: idType, fields: declaredFields,
            relations: relations.indices.map { declaredRelation($0, &problems) },
            tombstoneOf: tombstoneOwner.map { $0._descriptor.name }, numbersIDs: numbersIDs)
    }

    /// Refuses an index about an asset that hides behind an alias or in an own type, where the macro does not see it.
    private func checkIndexes(_ problems: inout [SchemaProblem]) {
        let names = namesOfIndexes { ($0 as? any Storable.Type)?.storedType.holdsAssets == true }
        problems += names.map {
            SchemaProblem(
                type: name, property: $0,
                reason:
                    "an index cannot be about an asset: a row has its digest and size alone; keep"
                    + " what is to be found in a property of its own")
        }
    }

    private func declaredField(
        _ field: FieldDescription, _ problems: inout [SchemaProblem]
    ) -> DeclaredField? {
        switch field.kind {
        case .unsupported(let typeName):
            problems.append(
                SchemaProblem(
                    type: name, property: field.name,
                    reason: "\(typeName) has no stored form: make it Storable or Codable"))
            return nil
        case .stored(let type, let rung):
            do throws(CodecError) {
                return DeclaredField(
                    name: field.name, type: type, rung: rung, fill: try field.fillBytes())
            } catch {
                problems.append(
                    SchemaProblem(
                        type: name, property: field.name,
                        reason: "its default value cannot be stored: \(error)"))
                return nil
            }
        }
    }

    private func declaredRelation(
        _ index: Int, _ problems: inout [SchemaProblem]
    ) -> DeclaredRelation {
        let relation = relations[index]
        let child = relation.childDescriptor()
        let rule: RelationDefinition.DeleteRule =
            switch relation.deleteRule {
            case .nullify: .nullify
            case .cascade: .cascade
            case .deny: .deny
            }
        return DeclaredRelation(
            name: relation.name, target: child.name, isToMany: relation.isToMany,
            inverse: inverse(of: index, &problems), deleteRule: rule,
            isRequired: relation.isRequired)
    }
}

extension EntityDescriptor {
    /// The name of a relation's other side; a log says it on both sides, whichever declares it.
    private func inverse(of index: Int, _ problems: inout [SchemaProblem]) -> String? {
        do throws(RelationProblem) {
            return try inverse(of: index).map {
                relations[index].childDescriptor().relations[$0].name
            }
        } catch {
            problems.append(
                SchemaProblem(type: error.type, property: error.relation, reason: error.reason))
            return nil
        }
    }
}

extension FieldDescription {
    fileprivate func fillBytes() throws(CodecError) -> [UInt8]? {
        guard let fill else { return nil }
        var writer = ByteWriter()
        try fill(&writer)
        return writer.withBytes { Array($0) }
    }
}

extension SchemaProblem {
    init(_ error: CatalogError) {
        let (type, property) = error.place
        self.init(type: type, property: property, reason: "\(error)")
    }
}

extension CatalogError {
    fileprivate var place: (type: String, property: String?) {
        switch self {
        case .typeNumberNotDense(let type, _, _), .duplicateTypeName(let type),
            .idTypeChanged(let type, _, _):
            (type, nil)
        case .assetInID(let type, _):
            (type, "id")
        case .duplicateMember(let type, let property), .numberReused(let type, let property),
            .unknownTarget(let type, let property, _),
            .fieldTypeChanged(let type, let property, _, _, _),
            .newFieldNeedsDefault(let type, let property),
            .likelyRenamed(let type, let property, _),
            .requiredFieldMissing(let type, let property),
            .relationTargetChanged(let type, let property),
            .relationBecameToOne(let type, let property),
            .targetNotDeclared(let type, let property, _),
            .inverseNotFound(let type, let property, _):
            (type, property)
        }
    }
}
