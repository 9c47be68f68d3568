internal import VarveEvents
internal import VarveLog

/// One version of an entity: what a transaction made of it.
public struct InspectedVersion: Sendable {
    public enum Change: Hashable, Sendable {
        case inserted
        case updated
        case deleted
        /// By a delete rule of another entity: its type and id.
        case deletedWith(type: String, id: String)
        /// By a unique constraint: the type and id of what took the value.
        case replaced(byType: String, id: String)
        case purged
    }

    public let transaction: TransactionID
    public let time: Moment
    public let label: String?
    public let author: String?
    public let change: Change
    /// Names of the fields that have another value than in the version before.
    public let changedFields: [String]
    /// The entity from then on; of a deleted one what can be restored, empty where nothing can.
    public let fields: [InspectedField]
}

extension Inspection {
    /// The versions of an entity, newest first, as far as history goes back. Replays the log, and
    /// looks at one transaction for each version.
    public func history(
        of type: String, id: String
    ) throws(InspectionError) -> [InspectedVersion] {
        let state = try replay()
        guard let definition = state.catalog.definition(named: type) else {
            throw .noSuchType(name: type, known: state.catalog.definitions.map(\.name))
        }
        guard let place = try Self.place(of: definition, id: id, in: state),
            let newest = state.transaction(of: definition.number, at: place.slot)
                ?? state.departure(of: definition.number, at: place.slot)?.transaction
        else { throw .noSuchEntity(type: type, id: id, deletedIn: nil) }
        var history = RowHistory(
            of: definition, id: place.id, catalog: state.catalog,
            floor: TransactionID(
                max(firstTransaction.rawValue, state.timeline.forgotten.rawValue + 1))
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
            try history.walk(from: newest, row: row)
            return try history.versions.map { try InspectedVersion($0, definition) }
        } catch let error as InspectionError {
            throw error
        } catch {
            throw .entity(type: type, reason: "\(error)")
        }
    }

    /// The transaction that gave each field its value, as far as history goes back; in the order of
    /// the fields.
    public func blame(
        of type: String, id: String
    ) throws(InspectionError) -> [(field: String, version: InspectedVersion)] {
        let versions = try history(of: type, id: id)
        let names = versions.first { !$0.fields.isEmpty }?.fields.map(\.name) ?? []
        let life =
            versions.prefix { $0.change != .inserted }
            + versions.filter {
                $0.change == .inserted
            }.prefix(1)
        return names.compactMap { name in
            life.first { $0.changedFields.contains(name) }.map { (name, $0) }
        }
    }

    private static func row(
        of definition: TypeDefinition, at slot: UInt32, in state: ReplayState
    ) throws(CodecError) -> [UInt8]? {
        guard var reader = state.reader(of: definition.number) else { return nil }
        return try reader.read(slot) { [UInt8]($0.row) }
    }
}

extension InspectedVersion {
    fileprivate init(_ version: RowHistory.Version, _ definition: TypeDefinition) throws {
        transaction = version.header.id
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
        guard let row = version.row else {
            fields = []
            return
        }
        fields = try row.withUnsafeBytes { bytes in
            try RowLayout(definition).values(of: bytes).map {
                InspectedField(name: $0.name, value: InspectedValue($0.value))
            }
        }
    }
}
