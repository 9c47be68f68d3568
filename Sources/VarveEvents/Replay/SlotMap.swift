/// Finds the slots of ids: open addressing with linear steps. Nothing is ever removed.
///
/// An entry holds the address of the id beside its slot, and the id's length stands in front of
/// its bytes, so that a look-up touches two lines of memory: the entry's and the id's.
struct SlotMap: ~Copyable {
    /// Slot numbers stay below this: they are indices on 32-bit platforms too.
    static let slotLimit = Int32.max

    // Not private: generic storage of a private type crashes the compiler (6.3) across files.
    struct Entry: BitwiseCopyable {
        /// The upper half of the hash; it also says where the entry belongs, so that growing reads
        /// no id.
        let tag: UInt32
        /// 0 where the place is free.
        let slotPlusOne: UInt32
        let id: StoredID?
    }

    /// The size is a power of two.
    private var entries = RawColumn<Entry>(
        repeating: Entry(tag: 0, slotPlusOne: 0, id: nil), count: 64)
    private var count = 0

    init() {}

    /// The slot of an id with this hash.
    func find(_ id: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        let mask = entries.count - 1
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var place = Int(tag) & mask
        while true {
            let entry = entries[place]
            guard let stored = entry.id else { return nil }
            if entry.tag == tag, stored.bytes.hasSameBytes(as: id) { return entry.slotPlusOne - 1 }
            place = (place + 1) & mask
        }
    }

    mutating func insert(_ id: StoredID, hash: UInt64, slot: UInt32) {
        count += 1
        if count * 4 > entries.count * 3 { grow() }
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        Self.place(Entry(tag: tag, slotPlusOne: slot + 1, id: id), in: &entries)
    }

    private static func place(_ entry: Entry, in entries: inout RawColumn<Entry>) {
        let mask = entries.count - 1
        var place = Int(entry.tag) & mask
        while entries[place].id != nil { place = (place + 1) & mask }
        entries[place] = entry
    }

    private mutating func grow() {
        var wider = RawColumn<Entry>(
            repeating: Entry(tag: 0, slotPlusOne: 0, id: nil), count: entries.count * 2)
        for index in 0..<entries.count where entries[index].id != nil {
            Self.place(entries[index], in: &wider)
        }
        entries = wider
    }

    /// Asks for the memory that look-ups of these hashes will touch first. The loads do not depend
    /// on each other, so the processor waits for all of them at once, which look-ups one after the
    /// other cannot have: replay of links is bound by exactly these waits.
    func touch(_ hashes: borrowing RawColumn<UInt64>, _ range: Range<Int>) -> Int {
        let mask = entries.count - 1
        var touched = 0
        for index in range {
            let place = Int(truncatingIfNeeded: hashes[index] >> 32) & mask
            touched &+= Int(entries[place].slotPlusOne)
        }
        for index in range {
            let place = Int(truncatingIfNeeded: hashes[index] >> 32) & mask
            if let id = entries[place].id { touched &+= id.count }
        }
        return touched
    }
}

/// An id in a table's memory: its length in four bytes, then its bytes.
struct StoredID: BitwiseCopyable {
    private let base: UnsafeRawPointer

    /// Copies an id, of less than 4 GiB, into an arena.
    init(_ id: UnsafeRawBufferPointer, in arena: inout ByteArena) {
        let memory = arena.allocate(4 + id.count)
        memory.storeBytes(of: UInt32(truncatingIfNeeded: id.count), as: UInt32.self)
        if let source = id.baseAddress {
            (memory + 4).copyMemory(from: source, byteCount: id.count)
        }
        base = UnsafeRawPointer(memory)
    }

    private init(at base: UnsafeRawPointer) { self.base = base }

    /// Copies an id to an offset of a memory that has room for it. Returns how many bytes it took.
    static func place(
        _ id: UnsafeRawBufferPointer, in memory: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> (id: StoredID, byteCount: Int) {
        let length = 4 + id.count
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<(offset + length)])
        room.storeBytes(of: UInt32(truncatingIfNeeded: id.count), as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: room[4...]).copyMemory(from: id)
        guard let base = room.baseAddress else {
            preconditionFailure("a slice of four bytes at least has an address")
        }
        return (StoredID(at: UnsafeRawPointer(base)), length)
    }

    var count: Int { Int(base.loadUnaligned(as: UInt32.self)) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + 4, count: count) }
}
