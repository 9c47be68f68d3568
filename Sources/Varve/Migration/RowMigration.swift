internal import VarveEvents

/// The migration of the rows of one type, each by itself: from one definition to another.
struct RowMigration {
    /// Which values of a row a migration makes.
    enum Extent {
        /// All that its steps set.
        case all(CatalogMerge.Demands)
        /// Those of properties that there were not before, or that a step converts. The others are what they were.
        case newProperties(keepsRetired: Bool)
    }

    /// How a field of the new row comes about.
    private enum Source {
        /// What a step has set, under a name; where none has, what was taken over, unless a value is needed.
        case value(String, isNeeded: Bool)
        case taken
        /// Another field replaces it, or it goes.
        case nothing
    }

    let definition: TypeDefinition
    let target: TypeDefinition
    private let steps: [ResolvedStep]
    private let shape: MigrationRow.Shape
    private let sources: [Source]
    private let targetNames: Set<String>
    private let likelyFormer: [FieldNumber: String]
    /// Fields that a new entity has to have a value for.
    private let demanded: Set<FieldNumber>
    private let layout: RowLayout
    /// The migration that an error about a row as a whole names.
    private let lastMigration: String

    /// - Parameter migration: the one that makes the rows, where no step of a later one is about them.
    init(
        _ definition: TypeDefinition, _ target: TypeDefinition, _ steps: [ResolvedStep],
        _ extent: Extent, madeBy migration: String = ""
    ) {
        lastMigration = steps.last?.migration ?? migration
        self.definition = definition
        self.target = target
        self.steps = steps
        shape = MigrationRow.Shape(definition)
        layout = RowLayout(target)
        targetNames = Set(target.fields.map(\.name))
        (likelyFormer, demanded) =
            if case .all(let demands) = extent { (demands.likelyFormer, demands.fields) } else {
                ([:], [])
            }
        let known = Set(definition.fields.map(\.number))
        let converted = Set(steps.compactMap(\.convertedProperty))
        sources = target.fields.map { field in
            switch extent {
            case .all(let demands):
                if demands.retired.contains(field.number) { return .nothing }
                return .value(field.name, isNeeded: demands.fields.contains(field.number))
            case .newProperties(let keepsRetired):
                if field.isRetired { return keepsRetired ? .taken : .nothing }
                return known.contains(field.number) && !converted.contains(field.name)
                    ? .taken : .value(field.name, isNeeded: false)
            }
        }
    }

    /// A row that no step has seen yet.
    func row(
        _ row: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, isDeleted: Bool
    ) throws(CodecError) -> MigrationRow {
        try MigrationRow(shape, id: id, row: row, isDeleted: isDeleted)
    }

    /// A row of a new entity that no step about its type has seen yet.
    func newRow(
        _ values: [String: MigrationRow.Value], id: MigrationRow.Value, isDeleted: Bool
    ) -> MigrationRow {
        MigrationRow(new: shape, id: id, values: values, isDeleted: isDeleted)
    }

    /// Whether a step is about other entities too.
    var readsRelated: Bool { steps.contains { $0.action.readsRelated } }

    /// Performs all steps on a row.
    ///
    /// - Parameter related: the rows that a step joins with this one.
    func perform(
        on row: inout MigrationRow,
        _ related: (ResolvedStep) throws -> [MigrationRow] = { _ in [] }
    ) throws(StoreError) {
        for step in steps {
            do {
                switch step.action {
                case .rows(let body), .convert(_, let body), .removeCase(_, let body),
                    .newIDs(let body):
                    try body(&row)
                case .remove(let property): row.remove(property)
                case .rename(let property, let new): row.rename(property, to: new)
                case .split(_, _, let body):
                    guard let entity = try body(&row) else { continue }
                    row.add(entity, step: step.position)
                case .join(_, let body):
                    for other in try related(step) { try body(&row, other) }
                case .removeType, .renameType, .narrow: break
                }
            } catch let error as StoreError {
                throw error
            } catch {
                throw failure(step.migration, row, error)
            }
        }
    }

    /// Refuses values that no property of the target has.
    func checkNames(of row: MigrationRow) throws(StoreError) {
        guard let name = row.values.keys.sorted().first(where: { !targetNames.contains($0) }) else {
            return
        }
        throw failure(lastMigration, row, MigrationError.unusedValue(property: name))
    }

    /// What properties are called behind the last step.
    func names(of properties: some Sequence<String>) -> Set<String> {
        var names = Set(properties)
        for step in steps {
            guard case .rename(let name, let new) = step.action, names.remove(name) != nil
            else { continue }
            names.insert(new)
        }
        return names
    }

    func failure(_ row: MigrationRow, _ error: any Error) -> StoreError {
        failure(lastMigration, row, error)
    }

    private func failure(
        _ migration: String, _ row: MigrationRow, _ error: any Error
    ) -> StoreError {
        .migration(
            MigrationFailure(migration, type: definition.name, id: row.formerIDText, error))
    }

    /// The bytes of the row of a new entity.
    func newBytes(_ row: MigrationRow) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in target.fields {
            if field.isRetired {
                bytes.append(0)
            } else if row.values[field.name] != nil || demanded.contains(field.number) {
                bytes += try value(of: field, in: row)
            } else if let fill = field.fill {
                bytes += fill
            } else if case .optional = field.type {
                bytes.append(0)
            } else {
                bytes += try value(of: field, in: row)
            }
        }
        return bytes
    }

    /// The bytes of the new row.
    ///
    /// - Parameters:
    ///   - taken: the old row in the form of the target, as no step has seen it.
    ///   - row: behind all steps.
    func bytes(
        of taken: UnsafeRawBufferPointer, _ row: MigrationRow
    ) throws(StoreError) -> [UInt8] {
        var writer = ByteWriter(capacity: taken.count)
        var reader = ByteReader(taken)
        for (position, source) in sources.enumerated() {
            let start = reader.position
            do throws(CodecError) {
                try layout.skip(position, in: &reader)
            } catch {
                throw failure(row, error)
            }
            switch source {
            case .nothing: writer.append(0)
            case .value(let name, let isNeeded) where isNeeded || row.values[name] != nil:
                writer.write(try value(of: target.fields[position], in: row))
            case .value, .taken: writer.write(reader.slice(from: start, to: reader.position))
            }
        }
        return writer.copyBytes()
    }

    /// What steps have set for a field.
    func value(of field: FieldDefinition, in row: MigrationRow) throws(StoreError) -> [UInt8] {
        guard let value = row.values[field.name] else {
            throw failure(
                row,
                MigrationError.missingValue(
                    property: field.name, of: target.name, expected: field.type,
                    former: likelyFormer[field.number]))
        }
        if value.type == field.type { return value.bytes }
        do throws(CodecError) {
            return try Transcoder(from: value.type, to: field.type).transcode(value.bytes)
        } catch {
            throw failure(
                row,
                MigrationError.wrongType(
                    property: field.name, found: value.type, expected: field.type))
        }
    }
}

extension ResolvedStep {
    /// The property whose values the step makes anew, by its name behind the last step.
    fileprivate var convertedProperty: String? {
        switch action {
        case .convert, .removeCase: member?.after
        case .rows, .rename, .renameType, .remove, .removeType, .narrow, .split, .join, .newIDs:
            nil
        }
    }
}

extension MigrationStep.Action {
    /// Whether the step reads other rows than the one that it is about.
    fileprivate var readsRelated: Bool {
        if case .join = self { true } else { false }
    }
}
