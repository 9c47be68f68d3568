/// A number that a checkpoint's writer derives from the state and a reader from the pages: that they
/// are equal shows that the pages decode to what was meant. Not proof against malice.
///
/// Links name entities by the hashes of their ids, so that a reader needs to remember eight bytes
/// for each entity and not the state.
struct CheckpointDigest: ~Copyable {
    private(set) var value: UInt64 = 0
    private var scratch = ByteWriter(capacity: 512)

    private enum Item: UInt8 {
        case state = 1
        case definition = 2
        case type = 3
        case entity = 4
        case links = 5
        case tombstoneLinks = 6
    }

    static func hash(ofID id: UnsafeRawBufferPointer) -> UInt64 { KeyedHash.stableHash(id) }

    mutating func add(lastTransaction: TransactionID, lastTime: Timestamp) {
        begin(.state, TypeNumber(0))
        scratch.writeVarint(lastTransaction.rawValue)
        scratch.writeSigned(lastTime.microseconds)
        end()
    }

    mutating func add(definition: UnsafeRawBufferPointer, since: TransactionID) {
        begin(.definition, TypeNumber(0))
        scratch.writeVarint(since.rawValue)
        scratch.write(definition)
        end()
    }

    mutating func add(type: TypeNumber, nextOrdinal: UInt64, count: Int) {
        begin(.type, type)
        scratch.writeVarint(nextOrdinal)
        scratch.writeCount(count)
        end()
    }

    /// `stamps` is nil for an id that is only referred to.
    mutating func add(
        type: TypeNumber, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer,
        presence: EntityPresence, stamps: EntityStamps?
    ) {
        begin(.entity, type)
        scratch.append(presence.rawValue)
        scratch.writeLengthPrefixed(id)
        if let stamps {
            scratch.writeVarint(stamps.ordinal)
            scratch.writeVarint(stamps.transaction)
            scratch.writeSigned(stamps.updatedAt)
            // Nothing of most rows, whose digest stays what it was without the field.
            if stamps.saveOrder != 0 { scratch.writeVarint(UInt64(stamps.saveOrder)) }
            scratch.write(row)
        }
        end()
    }

    mutating func beginList(
        of type: TypeNumber, holder: UInt64, relation: RelationNumber, keptByTombstone: Bool
    ) {
        begin(keptByTombstone ? .tombstoneLinks : .links, type)
        scratch.writeVarint(UInt64(relation.rawValue))
        scratch.write(littleEndian: holder)
    }

    mutating func addTarget(_ id: UInt64) { scratch.write(littleEndian: id) }

    mutating func endList() { end() }

    private mutating func begin(_ item: Item, _ type: TypeNumber) {
        scratch.removeAll()
        scratch.append(item.rawValue)
        scratch.write(littleEndian: type.rawValue)
    }

    // Addition forgets the order of pages, and unlike exclusive or keeps equal items apart.
    private mutating func end() {
        value &+= scratch.withBytes { KeyedHash.stableHash($0) }
    }
}
