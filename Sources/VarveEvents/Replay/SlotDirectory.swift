/// The slots of a type's ids, apart from those that were loaded.
///
/// It is a part of its table that another thread can have for itself: see ``SlotsAhead``.
final class SlotDirectory {
    /// No revision of a type changes it.
    private let idType: StoredType
    // Unchecked like the table's columns: each look-up touches them, and no access calls out.
    @exclusivity(unchecked) private var map = SlotMap()
    @exclusivity(unchecked) private var ids = ByteArena()
    /// The slot that is given out next.
    @exclusivity(unchecked) private var next: Int

    /// - Parameter loadedCount: how many slots, the first ones, are given out already.
    init(_ idType: StoredType, loadedCount: Int) {
        self.idType = idType
        next = loadedCount
    }

    /// The slot of an id with this hash.
    @inline(__always)
    func find(_ id: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        map.find(id, hash: hash)
    }

    /// Makes the coming look-ups of these hashes fast.
    func touch(_ hashes: borrowing RawColumn<UInt64>, _ range: Range<Int>) -> Int {
        map.touch(hashes, range)
    }

    /// Gives an id that has no slot the next one.
    func add(
        _ id: UnsafeRawBufferPointer, hash: UInt64
    ) throws(EntityFault) -> (slot: UInt32, id: StoredID) {
        try checkForm(of: id)
        guard next < SlotMap.slotLimit, id.count < Int32.max else { throw .tooManyEntities }
        let slot = UInt32(truncatingIfNeeded: next)
        let stored = StoredID(id, in: &ids)
        map.insert(stored, hash: hash, slot: slot)
        next += 1
        return (slot, stored)
    }

    /// Why an id was given no slot. It may be asked while another thread gives slots out.
    func fault(of id: UnsafeRawBufferPointer) -> EntityFault {
        do throws(EntityFault) {
            try checkForm(of: id)
            return .tooManyEntities
        } catch {
            return error
        }
    }

    private func checkForm(of id: UnsafeRawBufferPointer) throws(EntityFault) {
        do throws(CodecError) {
            var reader = ByteReader(id)
            try idType.skip(&reader)
            try reader.expectEnd()
        } catch {
            throw .invalidID(error)
        }
    }
}
