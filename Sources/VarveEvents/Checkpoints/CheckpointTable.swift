/// What a slot holds.
package enum EntityPresence: UInt8, BitwiseCopyable, Sendable {
    /// An id that was mentioned, of an entity that is still to come.
    case vacant = 0
    case live = 1
    case tombstone = 2
    /// An entity that went for good. Links to it say nothing, unlike links to one that is to come.
    case gone = 3

    /// Added to the byte of an entity, in a page, behind whose time the order of its save follows.
    static let isOrdered: UInt8 = 4

    /// Whether there is a row, of the entity or of its tombstone.
    package var hasRow: Bool { self == .live || self == .tombstone }
}

/// Place and last change of an entity or tombstone; of an entity that is gone when it went, and 0 for
/// its place.
package struct EntityStamps: Hashable, Sendable {
    package var ordinal: UInt64
    package var transaction: UInt64
    package var updatedAt: Int64
    /// Where the last change was among the saves of its transaction; 0 of an entity that is gone.
    package var saveOrder: UInt32

    package init(
        ordinal: UInt64, transaction: UInt64, updatedAt: Int64, saveOrder: UInt32 = 0
    ) {
        self.ordinal = ordinal
        self.transaction = transaction
        self.updatedAt = updatedAt
        self.saveOrder = saveOrder
    }
}

/// A member of a list that a tombstone keeps: known by its slot, or not known otherwise at all.
package enum TombstoneTarget: Hashable, Sendable {
    case slot(UInt32)
    case id([UInt8])
}

/// The entities of one type, as a checkpoint is written from them. Nothing changes meanwhile.
package protocol CheckpointTable {
    /// The newest definition that the log knows; rows are written in its layout.
    var definition: TypeDefinition { get }
    var slotCount: Int { get }
    /// The ordinal that the next new entity gets.
    var nextOrdinal: UInt64 { get }
    /// The greatest id that was given, of a type whose ids the store gives.
    var lastNumber: UInt64 { get throws(CodecError) }

    func presence(of slot: UInt32) -> EntityPresence
    /// Of a slot that is not vacant.
    func stamps(of slot: UInt32) -> EntityStamps
    func writeID(of slot: UInt32, into writer: inout ByteWriter) throws(CodecError)
    /// Of a slot that has a row: what ``presence(of:)`` said of it is told again.
    func writeRow(
        of slot: UInt32, _ presence: EntityPresence, into writer: inout ByteWriter
    ) throws(CodecError)
    /// Calls `body` with each list of a relation, by its position in the definition, that is not
    /// empty, from a slot on, in order of slots, until it returns false. The buffers are valid during
    /// the calls only.
    func forEachList(
        of relation: Int, from first: UInt32,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    )
    /// The lists that a tombstone keeps, without empty ones.
    func tombstoneLists(
        of slot: UInt32
    ) throws(CodecError) -> [(relation: RelationNumber, targets: [TombstoneTarget])]
}

/// A state that a checkpoint is written from: each type's table at its number - 1; nil where there
/// is nothing of the type.
package struct CheckpointSource {
    package let catalog: Catalog
    package let lastTransaction: TransactionID
    package let lastTime: Timestamp
    package let tables: [(any CheckpointTable)?]
    package let timeline: Timeline

    package init(
        catalog: Catalog, lastTransaction: TransactionID, lastTime: Timestamp,
        tables: [(any CheckpointTable)?], timeline: Timeline
    ) {
        self.catalog = catalog
        self.lastTransaction = lastTransaction
        self.lastTime = lastTime
        self.tables = tables
        self.timeline = timeline
    }
}
