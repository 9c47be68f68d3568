public import VarveEvents
internal import VarveLog
internal import VarveTables

/// One version of an entity: what a transaction made of it.
public struct InspectedVersion: Sendable {
    /// What happened to an entity.
    public enum Change: Hashable, Sendable {
        /// The entity is new.
        case inserted
        /// Fields have other values.
        case updated
        /// The entity was deleted, by itself.
        case deleted
        /// By a delete rule of another entity: its type and id.
        case deletedWith(type: String, id: String)
        /// By a unique constraint: the type and id of what took the value.
        case replaced(byType: String, id: String)
        /// The tombstone was removed: the entity cannot be restored any more.
        case purged
    }

    /// The transaction that made the version.
    public let transaction: TransactionID
    /// What the transaction is for: an edit, or an undo, a redo, a revert, a rewind, a restoration.
    public let kind: TransactionSummary.Kind
    /// When it was written, by its writer's clock.
    public let time: Moment
    /// What the transaction does, for people, as its writer said it.
    public let label: String?
    /// Who made the change, as the writer said it.
    public let author: String?
    /// What the transaction did to the entity.
    public let change: Change
    /// Names of the fields that have another value than in the version before.
    public let changedFields: [String]
    /// The entity from then on; of a deleted one what can be restored, empty where nothing can.
    public let fields: [InspectedField]
}

/// The versions of an entity.
public struct InspectedHistory: Sendable {
    /// Newest first, as far as history goes back.
    public let versions: [InspectedVersion]
    /// The entity as it is now; of a deleted one what can be restored, empty where nothing can.
    public let fields: [InspectedField]
    /// Nil where all versions are there.
    public let dropped: DroppedVersions?
}

extension Inspection {
    /// The versions of an entity, newest first, as far as history goes back. Replays the log, and
    /// looks at one transaction for each version.
    public func history(of type: String, id: String) throws(InspectionError) -> InspectedHistory {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: type, in: state)
            guard let place = try Self.place(of: definition, id: id, in: state) else {
                throw .noSuchEntity(type: type, id: id, deletedIn: nil)
            }
            return try history(of: definition, id, at: place, in: state)
        }
    }

    /// The versions of an entity, newest first, as far as history goes back.
    public func history(of name: EntityName) throws(InspectionError) -> InspectedHistory {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: name.type, in: state)
            guard let slot = Self.slot(of: name.id, definition, in: state) else {
                throw .noSuchEntity(type: name.type, id: name.id.json, deletedIn: nil)
            }
            let place = (slot, name.id.stored.bytes)
            return try history(of: definition, name.id.json, at: place, in: state)
        }
    }

    private func history(
        of definition: TypeDefinition, _ name: String, at place: (slot: Slot, id: [UInt8]),
        in state: State
    ) throws(InspectionError) -> InspectedHistory {
        guard let entry = state.entry(of: definition.number, at: place.slot),
            entry.presence != .vacant
        else { throw .noSuchEntity(type: definition.name, id: name, deletedIn: nil) }
        let floor = TransactionID(
            max(firstTransaction.rawValue, state.timeline.forgotten.rawValue + 1))
        var history = RowHistory(
            of: definition, id: place.id, catalog: state.catalog, floor: floor
        ) { transaction, body in
            var failure: (any Error)?
            try self.with(transaction) { view throws(InspectionError) in
                do {
                    try body(view)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        do {
            let row = try Self.row(of: definition, at: place.slot, in: state)
            try history.walk(
                from: TransactionID(entry.stamps.transaction), row: row)
            return InspectedHistory(
                versions: try history.versions.map { try InspectedVersion($0, definition) },
                fields: try row.map { try definition.fields(of: $0) } ?? [],
                dropped: history.dropped.map {
                    DroppedVersions(newest: $0, floor: floor, last: state.lastTransaction)
                })
        } catch let error as InspectionError {
            throw error
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }

    private static func row(
        of definition: TypeDefinition, at slot: Slot, in state: State
    ) throws(CodecError) -> [UInt8]? {
        guard var reader = state.reader(of: definition.number) else { return nil }
        return try reader.read(slot) { [UInt8]($0.row) }
    }
}

extension InspectedVersion {
    fileprivate init(_ version: RowHistory.Version, _ definition: TypeDefinition) throws {
        transaction = version.header.id
        kind = version.header.purpose
        time = Moment(version.header.time)
        label = version.header.label
        author = version.header.author
        change =
            switch version.change {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .deleted
            case .deletedWith(let type, let id): .deletedWith(type: type, id: id)
            case .replaced(let type, let id): .replaced(byType: type, id: id)
            case .purged: .purged
            }
        changedFields = version.changedFields
        fields = try version.row.map { try definition.fields(of: $0) } ?? []
    }
}

extension TypeDefinition {
    fileprivate func fields(of row: [UInt8]) throws -> [InspectedField] {
        try row.withUnsafeBytes { bytes in
            try RowLayout(self).values(of: bytes).map {
                InspectedField(name: $0.name, value: InspectedValue($0.value))
            }
        }
    }
}
