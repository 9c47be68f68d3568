internal import VarveEvents

/// The versions of an entity, those from before migrations as these make them.
struct MigratedVersions {
    private let versions: [RowHistory.Version]
    private let definition: TypeDefinition
    private let newestMigration: TransactionID
    private let rows: [Result<[UInt8]?, StoreError>]

    init(
        _ versions: [RowHistory.Version], _ definition: TypeDefinition, id: [UInt8],
        _ past: PastMigrations
    ) throws(StoreError) {
        self.versions = versions
        self.definition = definition
        newestMigration = past.newest
        var rows: [Result<[UInt8]?, StoreError>] = []
        var stages: (transaction: TransactionID, rows: PastRows?)?
        for version in versions {
            let transaction = version.header.id
            guard transaction < past.newest, let row = version.row else {
                rows.append(.success(version.row))
                continue
            }
            if stages?.transaction != transaction {
                stages = (
                    transaction,
                    try past.rows(of: definition, behind: transaction, keepsRetired: true)
                )
            }
            guard let stages = stages?.rows else {
                rows.append(.success(row))
                continue
            }
            do throws(StoreError) {
                rows.append(
                    .success(try stages.row(row, id: id, isDeleted: version.change.isDeletion)))
            } catch {
                rows.append(.failure(error))
            }
        }
        self.rows = rows
    }

    func row(at index: Int) -> Result<[UInt8]?, StoreError> { rows[index] }

    /// The properties that a version changed. What an update from before a migration logged has other names: the rows
    /// are compared.
    func changedFields(at index: Int) -> [String] {
        let version = versions[index]
        guard version.header.id < newestMigration, case .updated = version.change,
            index + 1 < versions.count, case .success(let new?) = rows[index],
            case .success(let old?) = rows[index + 1],
            let changed = try? RowLayout(definition).changedFields(from: old, to: new)
        else { return version.changedFields }
        return changed
    }
}

extension RowHistory.Change {
    fileprivate var isDeletion: Bool {
        switch self {
        case .deleted, .deletedWith, .replaced: true
        case .inserted, .updated, .purged: false
        }
    }
}

extension RowLayout {
    fileprivate func changedFields(
        from old: [UInt8], to new: [UInt8]
    ) throws(CodecError) -> [String] {
        try old.withReader { old throws(CodecError) in
            try new.withReader { new throws(CodecError) in
                var names: [String] = []
                for field in definition.fields {
                    let before = try field.type.readSlice(&old)
                    let after = try field.type.readSlice(&new)
                    if !before.hasSameBytes(as: after) { names.append(field.name) }
                }
                return names
            }
        }
    }
}
