/// A number that tells two states apart, whatever order their parts are visited in: for comparing
/// a live state with the replayed one. Not proof against malice.
package struct StateDigest: ~Copyable {
    /// The digest of what was added so far.
    package private(set) var value: UInt64 = 0
    private var scratch = ByteWriter(capacity: 256)

    package init() {}

    private enum Part: UInt8 {
        case entity = 1
        case tombstone = 2
        case links = 3
        case tombstoneLinks = 4
        case type = 5
        case state = 6
    }

    /// Adds the state as a whole.
    package mutating func add(lastTransaction: TransactionID, lastTime: Timestamp) {
        begin(.state)
        scratch.writeVarint(lastTransaction.rawValue)
        scratch.writeSigned(lastTime.microseconds)
        end()
    }

    /// Adds a type and the ordinal that its next new entity gets.
    package mutating func add(type: TypeDefinition, nextOrdinal: Ordinal) {
        begin(.type)
        var encoded = ByteWriter()
        // A definition that was logged can be encoded; one that cannot differs from all of them.
        if (try? type.encode(into: &encoded)) == nil { encoded.removeAll() }
        scratch.write(contentsOf: encoded)
        scratch.writeVarint(nextOrdinal.rawValue)
        end()
    }

    /// Adds an entity, or a tombstone, with its row in the layout of the current definition.
    package mutating func add(
        type: TypeNumber, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer,
        ordinal: Ordinal, transaction: TransactionID, updatedAt: Timestamp,
        saveOrder: UInt32 = 0, isDeleted: Bool
    ) {
        begin(isDeleted ? .tombstone : .entity)
        scratch.writeVarint(UInt64(type.rawValue))
        scratch.writeLengthPrefixed(id)
        scratch.writeVarint(ordinal.rawValue)
        scratch.writeVarint(transaction.rawValue)
        scratch.writeSigned(updatedAt.microseconds)
        if saveOrder != 0 { scratch.writeVarint(UInt64(saveOrder)) }
        scratch.write(row)
        end()
    }

    /// Starts a list: of a holder's relation, or of the one that a tombstone keeps. Lists without
    /// targets are left out.
    package mutating func beginList(
        of type: TypeNumber, id: UnsafeRawBufferPointer, relation: RelationNumber,
        keptByTombstone: Bool = false
    ) {
        begin(keptByTombstone ? .tombstoneLinks : .links)
        scratch.writeVarint(UInt64(type.rawValue))
        scratch.writeLengthPrefixed(id)
        scratch.writeVarint(UInt64(relation.rawValue))
    }

    package mutating func addTarget(_ id: UnsafeRawBufferPointer) {
        scratch.writeLengthPrefixed(id)
    }

    package mutating func endList() { end() }

    private mutating func begin(_ part: Part) {
        scratch.removeAll()
        scratch.append(part.rawValue)
    }

    // Addition forgets the order, and unlike exclusive or keeps equal parts apart.
    private mutating func end() {
        value &+= scratch.withBytes { KeyedHash.stableHash($0) }
    }
}

extension ReplayState {
    /// The digest of the whole state: last transaction, types, rows, order, links, tombstones.
    package func digest() throws(CodecError) -> UInt64 {
        var digest = StateDigest()
        digest.add(lastTransaction: lastTransaction, lastTime: lastTime)
        for table in tables {
            guard let table else { continue }
            let type = table.definition.number
            digest.add(type: table.definition, nextOrdinal: Ordinal(table.nextOrdinal))
            var reader = EntityReader(table)
            try reader.forEach { entity in
                digest.add(
                    type: type, id: entity.id, row: entity.row, ordinal: entity.ordinal,
                    transaction: entity.transaction, updatedAt: entity.updatedAt,
                    saveOrder: entity.saveOrder,
                    isDeleted: entity.isDeleted)
            }
            addLinks(of: table, to: &digest)
        }
        return digest.value
    }

    private func addLinks(of table: ReplayTable, to digest: inout StateDigest) {
        let type = table.definition.number
        for column in table.links {
            for slot in 0..<column.extent {
                let list = column.list(of: UInt32(truncatingIfNeeded: slot))
                guard !list.isEmpty else { continue }
                digest.beginList(
                    of: type, id: table.records[slot].idBytes, relation: column.definition.number)
                add(list, of: column.definition, to: &digest)
            }
        }
        for (slot, lists) in table.deletedLists {
            for (relation, list) in lists where !list.isEmpty {
                guard let position = table.definition.position(of: relation) else { continue }
                digest.beginList(
                    of: type, id: table.records[Int(slot)].idBytes, relation: relation,
                    keptByTombstone: true)
                add(list, of: table.links[position].definition, to: &digest)
            }
        }
    }

    private func add(
        _ list: [UInt32], of relation: RelationDefinition, to digest: inout StateDigest
    ) {
        if let targets = table(relation.target) {
            for slot in list { digest.addTarget(targets.records[Int(slot)].idBytes) }
        }
        digest.endList()
    }
}
