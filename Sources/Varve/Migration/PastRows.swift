internal import VarveEvents

/// Rows of one type from before migrations, as rows of now.
struct PastRows {
    struct Stage {
        let rows: RowMigration
        let barrier: (MigrationBarrier.Reason) -> StoreError
    }

    private let stages: [Stage]
    private let projection: RowProjection
    /// How rows of each stage take the form of its target.
    private let takings: [RowConversion]
    /// How the rows of each stage become those of the next, and the last ones those of now.
    private let conversions: [RowConversion]

    /// - Parameters:
    ///   - definition: that of the rows before.
    ///   - newest: that of the rows behind.
    init(
        _ stages: [Stage], from definition: TypeDefinition, to newest: TypeDefinition
    ) throws(StoreError) {
        self.stages = stages
        projection = RowProjection(from: definition, to: stages[0].rows.definition)
        var (takings, conversions): ([RowConversion], [RowConversion]) = ([], [])
        do throws(CatalogError) {
            for (index, stage) in stages.enumerated() {
                takings.append(
                    try RowConversion(
                        from: RowLayout(stage.rows.definition), to: stage.rows.target))
                let next = index + 1 < stages.count ? stages[index + 1].rows.definition : newest
                conversions.append(
                    try RowConversion(from: RowLayout(stage.rows.target), to: next))
            }
        } catch {
            throw .schema([SchemaProblem(error)])
        }
        self.takings = takings
        self.conversions = conversions
    }

    /// The row that the migrations make of one.
    func row(
        _ row: [UInt8], id: [UInt8], isDeleted: Bool
    ) throws(StoreError) -> [UInt8] {
        if let stage = stages.first(where: { $0.rows.readsRelated }) {
            throw stage.barrier(.joined(type: stage.rows.definition.name))
        }
        return try migrated(row, id: id, isDeleted: isDeleted) { _ in [] }.bytes
    }

    /// The row that the migrations make of one, and what their steps say of its entity. Of several, the last does.
    ///
    /// - Parameter related: the rows that a step joins with it.
    func migrated(
        _ row: [UInt8], id: [UInt8], isDeleted: Bool,
        _ related: (ResolvedStep) throws -> [MigrationRow]
    ) throws(StoreError) -> (bytes: [UInt8], row: MigrationRow) {
        var (index, id) = (0, id)
        do {
            var bytes = try row.withReader { try projection.project($0.rest) }
            while true {
                let behind = try migrated(
                    &bytes, id: id, isDeleted: isDeleted, at: index, related)
                guard index + 1 < stages.count else { return (bytes, behind) }
                let rows = stages[index].rows
                if rows.target.number != rows.definition.number {
                    id = try Self.id(of: behind, rows)
                }
                index += 1
            }
        } catch StoreError.migration(let failure) {
            throw stages[index].barrier(.failed(failure))
        } catch StoreError.unreadable(let value) {
            throw stages[index].barrier(
                .noValue(type: value.type, id: value.id, value.reason))
        } catch let error as CodecError {
            let definition = stages[index].rows.definition
            let text = id.withUnsafeBytes { definition.idType.text(of: $0) }
            throw stages[index].barrier(.noValue(type: definition.name, id: text, error))
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("rows of the past throw errors of steps and of values: \(error)")
        }
    }

    private static func id(
        of row: MigrationRow, _ rows: RowMigration
    ) throws(StoreError) -> [UInt8] {
        let target = rows.target
        do throws(CodecError) {
            return try row.id.bytes(as: target.idType)
        } catch {
            throw rows.failure(
                row,
                MigrationError.wrongID(
                    of: target.name, found: row.id.type, expected: target.idType))
        }
    }

    private func migrated(
        _ row: inout [UInt8], id: [UInt8], isDeleted: Bool, at index: Int,
        _ related: (ResolvedStep) throws -> [MigrationRow]
    ) throws -> MigrationRow {
        let migration = stages[index].rows
        var taken = ByteWriter(capacity: row.count)
        var behind = try row.withReader { reader in
            try takings[index].convert(reader.rest, into: &taken)
            return try id.withReader { id in
                try migration.row(reader.rest, id: id.rest, isDeleted: isDeleted)
            }
        }
        try migration.perform(on: &behind, related)
        let new = try taken.copyBytes().withReader { try migration.bytes(of: $0.rest, behind) }
        var converted = ByteWriter(capacity: new.count)
        try new.withReader { try conversions[index].convert($0.rest, into: &converted) }
        row = converted.copyBytes()
        return behind
    }
}
