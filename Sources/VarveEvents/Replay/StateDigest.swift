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
