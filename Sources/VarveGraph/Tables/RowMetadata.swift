/// When and where a row came to be as it is, in 24 bytes.
@frozen
@usableFromInline
package struct RowMetadata: Sendable, Equatable {
    /// The ordinal, below half of the save order.
    @usableFromInline var place: UInt64
    /// Microseconds since 1970.
    @usableFromInline package var updatedAt: Int64
    /// The transaction, below the other half.
    @usableFromInline var origin: UInt64

    /// Neither ordinals nor numbers of transactions come near 2⁴⁸: readers of logs refuse those that do.
    @inlinable static var numberMask: UInt64 { (1 << 48) - 1 }

    @inlinable package static var noOrdinal: UInt64 { numberMask }

    @inlinable
    package init(ordinal: UInt64, updatedAt: Int64, transaction: UInt64) {
        place = ordinal & RowMetadata.numberMask
        self.updatedAt = updatedAt
        origin = transaction & RowMetadata.numberMask
    }

    /// Of a slot that never held a row.
    @inlinable static var absent: RowMetadata {
        RowMetadata(ordinal: noOrdinal, updatedAt: 0, transaction: 0)
    }

    package init(ordinal: UInt64, updatedAt: Int64, transaction: UInt64, saveOrder: UInt32) {
        self.init(ordinal: ordinal, updatedAt: updatedAt, transaction: transaction)
        self.saveOrder = saveOrder
    }

    /// Place in the type's default order; `noOrdinal` where the slot never held a row.
    @inlinable package var ordinal: UInt64 {
        get { place & RowMetadata.numberMask }
        set { place = place & ~RowMetadata.numberMask | newValue & RowMetadata.numberMask }
    }

    /// The transaction that wrote the row last; 0 in a context without a log.
    @inlinable package var transaction: UInt64 {
        get { origin & RowMetadata.numberMask }
        set { origin = origin & ~RowMetadata.numberMask | newValue & RowMetadata.numberMask }
    }

    /// Tells which of the rows of one save, or of one transaction, were saved later; of two that have the same, the one
    /// with the greater ordinal.
    package var saveOrder: UInt32 {
        get { UInt32(place >> 48) | UInt32(origin >> 48) << 16 }
        set {
            place = place & RowMetadata.numberMask | UInt64(newValue) << 48
            origin = origin & RowMetadata.numberMask | UInt64(newValue >> 16) << 48
        }
    }

    /// Whether an entity was here once and went: with a tombstone, which keeps its place, or for
    /// good. A slot whose entity is still to come knows no time.
    @inlinable package var isFormer: Bool {
        ordinal != RowMetadata.noOrdinal || updatedAt != 0
    }
}

extension UnsafeRawPointer {
    /// The metadata of the row at this address, which is that of its cell.
    func metadata(at offset: Int) -> RowMetadata {
        (self + offset).assumingMemoryBound(to: RowMetadata.self).pointee
    }
}

/// What a change leaves on a row: when, in which transaction, and whether it is a save with a place among the others.
@frozen
@usableFromInline
struct Stamp: Sendable {
    @usableFromInline let time: Int64
    @usableFromInline let transaction: UInt64
    /// False for what a reversal writes: its rows come in no order of saves, but in that of insertion.
    @usableFromInline let isOrdered: Bool

    @inlinable
    init(time: Int64, transaction: UInt64, isOrdered: Bool = true) {
        self.time = time
        self.transaction = transaction
        self.isOrdered = isOrdered
    }

    /// As a reversal leaves it.
    @usableFromInline var unordered: Stamp {
        Stamp(time: time, transaction: transaction, isOrdered: false)
    }
}

/// Numbers the saves of one transaction, or of one save without a log, in one table.
///
/// Rows that are saved in insertion order, as nearly all are, share a number: it grows where a row is saved behind one
/// with a greater ordinal. So the number is zero for most rows, and then no log and no checkpoint says it.
package struct SaveSequence: Sendable {
    private var transaction: UInt64 = 0
    private var time: Int64 = 0
    private var ordinal: UInt64 = 0
    private var number: UInt32 = 0

    /// Whether rows of the newest transaction have a number that is not zero.
    package var isNumbered: Bool { number != 0 }

    mutating func next(ordinal: UInt64, _ stamp: Stamp) -> UInt32 {
        if stamp.transaction != transaction || stamp.time != time {
            transaction = stamp.transaction
            time = stamp.time
            number = 0
        } else if ordinal < self.ordinal {
            number &+= 1
        }
        self.ordinal = ordinal
        return number
    }
}

extension AnyTable {
    /// Says in the metadata of a row, or of the place of a tombstone, that it was saved now, behind all others.
    @usableFromInline
    final func stamp(_ metadata: inout RowMetadata, _ stamp: Stamp) {
        metadata.updatedAt = stamp.time
        metadata.transaction = stamp.transaction
        metadata.saveOrder = stamp.isOrdered ? saves.next(ordinal: metadata.ordinal, stamp) : 0
    }

    /// Says in the metadata of a slot that what was there went for good.
    ///
    /// - Parameter isTransient: whether it came in the same transaction, so that it was never there.
    @usableFromInline
    final func stampDeparture(_ metadata: inout RowMetadata, _ stamp: Stamp, isTransient: Bool) {
        metadata = RowMetadata(
            ordinal: RowMetadata.noOrdinal, updatedAt: isTransient ? 0 : stamp.time,
            transaction: isTransient ? 0 : stamp.transaction)
    }
}
