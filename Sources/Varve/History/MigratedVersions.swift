internal import VarveEvents

/// The versions of an entity under one id, newest first.
struct VersionStretch {
    let definition: TypeDefinition
    let id: [UInt8]
    let versions: [RowHistory.Version]
}

/// The versions of an entity, those from before migrations as these make them.
struct MigratedVersions {
    let versions: [RowHistory.Version]
    private var rows: [Result<[UInt8]?, StoreError>] = []
    /// By index, the properties that an update from before a migration changed. What it logged has other names: the
    /// rows are compared.
    private var comparedFields: [Int: [String]] = [:]
    /// The versions in which a migration gave the entity its id.
    private var renumberings: Set<Int> = []

    /// - Parameter stretches: the newest first. The entity had another id in each.
    init(_ stretches: [VersionStretch], _ past: PastMigrations) throws(StoreError) {
        versions = stretches.flatMap(\.versions)
        for stretch in stretches {
            if !rows.isEmpty { renumberings.insert(rows.count - 1) }
            try add(stretch, past)
        }
        if let newest = stretches.first {
            compare(RowLayout(newest.definition), notBehind: past.newest)
        }
    }

    private mutating func add(
        _ stretch: VersionStretch, _ past: PastMigrations
    ) throws(StoreError) {
        var ways: [TransactionID: PastRows?] = [:]
        for version in stretch.versions {
            guard let row = version.row, let next = past.oldest(behind: version.header.id) else {
                rows.append(.success(version.row))
                continue
            }
            let way: PastRows?
            if let known = ways[next] {
                way = known
            } else {
                way = try past.rows(
                    of: stretch.definition, behind: version.header.id, keepsRetired: true)
                ways[next] = .some(way)
            }
            do throws(StoreError) {
                let isDeleted = version.change.isDeletion
                rows.append(
                    .success(try way?.row(row, id: stretch.id, isDeleted: isDeleted) ?? row))
            } catch {
                rows.append(.failure(error))
            }
        }
    }

    /// A version whose row cannot be compared with the one before cannot be read either.
    private mutating func compare(_ layout: RowLayout, notBehind newest: TransactionID) {
        for (index, version) in versions.enumerated().dropLast() {
            guard version.header.id <= newest, change(at: index) == .updated,
                version.header.id < newest || renumberings.contains(index),
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

    /// What happened: an entity that got another id was there before.
    func change(at index: Int) -> VersionChange {
        let change = VersionChange(versions[index].change)
        return change == .inserted && renumberings.contains(index) ? .updated : change
    }

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
