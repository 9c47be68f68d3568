internal import Foundation
public import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// Every version of an entity that history goes back to, newest first: which transaction made
    /// it, what changed, and the entity from then on.
    ///
    /// A transaction that changed an entity's links alone makes no version of it. One that changed and deleted it makes
    /// two: the deletion and, next in the collection, the update. So does an undo that brings back a tombstone with
    /// other values.
    ///
    /// - Returns: the versions that are kept; ``EntityHistory/dropped`` says where history begins, if there were
    ///   others. Empty, and nothing dropped, for an id that there never was.
    /// - Complexity: a look at one transaction for each version.
    public func history<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) throws -> EntityHistory<Entity> {
        let state = published.current
        guard let position = state.context.tables.position(of: Entity._descriptor),
            let definition = state.schema.definition(atTable: position)
        else { return EntityHistory() }
        let known = descriptorFieldCount(position, state)
        var bytes = ByteWriter()
        try Entity._storeID(id, into: &bytes)
        let encoded = bytes.copyBytes()
        let (found, dropped, migrations) = try versions(definition, id: encoded, state)
        let names = Set(definition.fields.prefix(known).map(\.name))
        let migrated = try MigratedVersions(found, migrations)
        let versions = migrated.versions.indices.map { index in
            let version = migrated.versions[index]
            var entity: Entity?
            var unreadable: UnreadableValue?
            switch migrated.row(at: index) {
            case .success(let row?): (entity, unreadable) = Self.entity(id, in: row)
            case .success(nil): break
            case .failure(let error): unreadable = UnreadableValue(Entity.self, id, error)
            }
            return EntityVersion(
                transaction: TransactionInfo(version.header), change: migrated.change(at: index),
                changedProperties: migrated.changedFields(at: index).filter { names.contains($0) },
                entity: entity, unreadable: unreadable)
        }
        return EntityHistory(versions, dropped: dropped)
    }

    private static func entity<Entity: EntityModelProtocol>(
        _ id: Entity.ID, in row: [UInt8]
    ) -> (Entity?, UnreadableValue?) {
        row.withReader { reader in
            let bytes = reader.rest
            if let entity = try? Entity(_id: id, from: &reader) { return (entity, nil) }
            return (nil, UnreadableValue(Entity.self, id, bytes))
        }
    }

    /// For each property of an entity, the transaction that gave it its value, as far as history
    /// goes back: the others are missing, and ``EntityHistory/dropped`` of ``history(of:id:)`` says where it begins.
    ///
    /// - Complexity: that of ``history(of:id:)``.
    public func blame<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) throws -> [String: TransactionInfo] {
        var blame: [String: TransactionInfo] = [:]
        for version in try history(of: type, id: id) {
            for name in version.changedProperties where blame[name] == nil {
                blame[name] = version.transaction
            }
            if version.change == .inserted { break }
        }
        return blame
    }

    /// What a transaction says about itself.
    ///
    /// - Throws: ``StoreError/unknownTransaction(_:newest:)``, ``StoreError/belowFloor(_:floor:)``.
    public func transaction(_ id: TransactionID) throws -> TransactionInfo {
        try readingHistory { try $0.with(id) { TransactionInfo($0.header) } }
    }

    private func descriptorFieldCount(_ position: Int, _ state: StoreState) -> Int {
        state.context.tables.tables.unfilled[position].descriptor.fields.count
    }

    private func versions(
        _ definition: TypeDefinition, id: [UInt8], _ state: StoreState
    ) throws -> ([VersionStretch], dropped: DroppedVersions?, PastMigrations) {
        let target = ReversedState(state)
        let place = try id.withReader { reader throws(CodecError) in
            try target.place(of: definition.number, reader.rest)
        }
        guard let place else { return ([], nil, state.pastMigrations) }
        let stamps = target.stamps(of: place)
        let presence = target.presence(of: place)
        guard presence != .vacant else { return ([], nil, state.pastMigrations) }
        var row = ByteWriter()
        try target.writeRowOrTombstone(of: place, into: &row)
        let newest = presence == .gone ? nil : row.copyBytes()
        return try readingHistory { log in
            let migrations = try log.migrations(behind: state)
            var stretches: [VersionStretch] = []
            var next: (definition: TypeDefinition, id: [UInt8], Former)? = (
                definition, id, Former(transaction: TransactionID(stamps.transaction), row: newest)
            )
            var dropped: TransactionID?
            while let (definition, id, former) = next {
                var history = RowHistory(
                    of: definition, id: id, catalog: state.catalog, floor: log.floor
                ) { transaction, body in
                    try log.with(transaction, body)
                }
                do {
                    try history.walk(from: former.transaction, row: former.row)
                } catch let error as ReversalError {
                    throw StoreError(error, in: history.transaction)
                }
                dropped = history.dropped
                let stretch = VersionStretch(
                    definition: definition, id: id, versions: history.versions)
                stretches.append(stretch)
                next = dropped == nil ? try log.predecessor(of: stretch, migrations) : nil
            }
            return (
                stretches,
                dropped.map {
                    DroppedVersions(newest: $0, floor: log.floor, last: state.lastTransaction)
                }, migrations
            )
        }
    }
}

/// Where the walk through an entity's versions under an id begins.
private struct Former {
    let transaction: TransactionID
    let row: [UInt8]?
}

extension LogHistory {
    /// The entity under the id that it had before a migration gave it another one.
    fileprivate func predecessor(
        of stretch: VersionStretch, _ migrations: PastMigrations
    ) throws -> (definition: TypeDefinition, id: [UInt8], Former)? {
        guard let oldest = stretch.versions.last?.header.id,
            let type = try migrations.predecessor(of: stretch.definition.number, in: oldest),
            let definition = migrations.catalog.definition(of: type)
        else { return nil }
        let found = try with(oldest) {
            try $0.predecessor(
                of: EncodedEntity(type: stretch.definition.number, id: stretch.id), in: type)
        }
        return found.map {
            (
                definition, $0.entity.id,
                Former(transaction: $0.version.transaction, row: $0.row)
            )
        }
    }
}
