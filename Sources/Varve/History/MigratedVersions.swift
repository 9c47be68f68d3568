internal import VarveEvents

/// The versions of an entity, those from before migrations as these make them.
struct MigratedVersions {
    private let versions: [RowHistory.Version]
    private var rows: [Result<[UInt8]?, StoreError>] = []
    /// By index, the properties that an update from before a migration changed. What it logged has other names: the
    /// rows are compared.
    private var comparedFields: [Int: [String]] = [:]

    init(
        _ versions: [RowHistory.Version], _ definition: TypeDefinition, id: [UInt8],
        _ past: PastMigrations
    ) throws(StoreError) {
        self.versions = versions
        var ways: [TransactionID: PastRows?] = [:]
        for version in versions {
            guard let row = version.row, let next = past.oldest(behind: version.header.id) else {
                rows.append(.success(version.row))
                continue
            }
            let way: PastRows?
            if let known = ways[next] {
                way = known
            } else {
                way = try past.rows(of: definition, behind: version.header.id, keepsRetired: true)
                ways[next] = .some(way)
            }
            do throws(StoreError) {
                let isDeleted = version.change.isDeletion
                rows.append(.success(try way?.row(row, id: id, isDeleted: isDeleted) ?? row))
            } catch {
                rows.append(.failure(error))
            }
        }
        compare(RowLayout(definition), notBehind: past.newest)
    }

    /// A version whose row cannot be compared with the one before cannot be read either.
    private mutating func compare(_ layout: RowLayout, notBehind newest: TransactionID) {
        for (index, version) in versions.enumerated().dropLast() {
            guard version.header.id < newest, case .updated = version.change,
                case .success(let new?) = rows[index], case .success(let old?) = rows[index + 1]
            else { continue }
            do throws(CodecError) {
                comparedFields[index] = try layout.changedFields(from: old, to: new)
            } catch {
                rows[index] = .failure(
                    .inconsistent(transaction: version.header.id, reason: "\(error)"))
            }
        }
    }

    func row(at index: Int) -> Result<[UInt8]?, StoreError> { rows[index] }

    /// The properties that a version changed.
    func changedFields(at index: Int) -> [String] {
        comparedFields[index] ?? versions[index].changedFields
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
