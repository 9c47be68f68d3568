/// The entities that a transaction mentions, each once: runs of one type, ids within.
struct EntityTable: ~Copyable {
    private struct Entry {
        let type: TypeNumber
        let start: Int
        let count: Int
        let hash: UInt32
    }

    private struct Run {
        let type: TypeNumber
        var count: Int
        var end: Int
    }

    private var entries: [Entry] = []
    private var runs: [Run] = []
    /// The ids, each behind its length: what the runs are written from.
    private var ids = ByteWriter(capacity: 1_024)
    /// Open addressing: index + 1 of an entry, 0 where free. The size is a power of two.
    private var buckets = [UInt32](repeating: 0, count: 64)

    var count: Int { entries.count }

    mutating func removeAll() {
        // Clearing must not cost what the largest transaction ever needed.
        if buckets.count > 1_024, entries.count < buckets.count / 8 {
            buckets = [UInt32](repeating: 0, count: 1_024)
        } else if entries.count < buckets.count / 8 {
            freeBuckets()
        } else {
            buckets.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        }
        entries.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        ids.removeAll()
    }

    /// Frees the buckets of all entries, one by one.
    private mutating func freeBuckets() {
        let mask = buckets.count - 1
        for (index, entry) in entries.enumerated() {
            var bucket = Int(entry.hash) & mask
            // Past those that are free by now: they were not when the entry was put behind them.
            while buckets[bucket] != UInt32(truncatingIfNeeded: index + 1) {
                bucket = (bucket + 1) & mask
            }
            buckets[bucket] = 0
        }
    }

    /// The index of an entity, which is entered if it is new.
    mutating func index(of type: TypeNumber, _ id: UnsafeRawBufferPointer) -> EntityIndex {
        let hash = Self.hash(type, id)
        let mask = buckets.count - 1
        var bucket = Int(hash) & mask
        while buckets[bucket] != 0 {
            let candidate = Int(buckets[bucket]) - 1
            let entry = entries[candidate]
            if entry.hash == hash, entry.type == type, isID(of: entry, id) {
                return EntityIndex(UInt32(truncatingIfNeeded: candidate))
            }
            bucket = (bucket + 1) & mask
        }
        return enter(type, id, hash: hash, at: bucket)
    }

    /// Enters an entity without asking whether it is there already.
    mutating func append(_ type: TypeNumber, _ id: UnsafeRawBufferPointer) {
        let hash = Self.hash(type, id)
        let mask = buckets.count - 1
        var bucket = Int(hash) & mask
        while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
        _ = enter(type, id, hash: hash, at: bucket)
    }

    private static func hash(_ type: TypeNumber, _ id: UnsafeRawBufferPointer) -> UInt32 {
        let hash = KeyedHash.hash(id) &+ UInt64(type.rawValue) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: hash ^ hash &>> 32)
    }

    borrowing func withID(of entity: EntityIndex, _ body: (UnsafeRawBufferPointer) -> Void) {
        let entry = entries[Int(entity.rawValue)]
        ids.withBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[entry.start..<(entry.start + entry.count)]))
        }
    }

    private borrowing func isID(of entry: Entry, _ id: UnsafeRawBufferPointer) -> Bool {
        ids.withBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[entry.start..<(entry.start + entry.count)])
                .hasSameBytes(as: id)
        }
    }

    private mutating func enter(
        _ type: TypeNumber, _ id: UnsafeRawBufferPointer, hash: UInt32, at bucket: Int
    ) -> EntityIndex {
        precondition(entries.count < Int32.max, "A transaction mentions fewer entities")
        ids.writeLengthPrefixed(id)
        entries.append(
            Entry(type: type, start: ids.count - id.count, count: id.count, hash: hash))
        if let last = runs.indices.last, runs[last].type == type {
            runs[last].count += 1
            runs[last].end = ids.count
        } else {
            runs.append(Run(type: type, count: 1, end: ids.count))
        }
        buckets[bucket] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count * 4 > buckets.count * 3 { rehash() }
        return EntityIndex(UInt32(truncatingIfNeeded: entries.count - 1))
    }

    private mutating func rehash() {
        var wider = [UInt32](repeating: 0, count: buckets.count * 2)
        let mask = wider.count - 1
        for (index, entry) in entries.enumerated() {
            var bucket = Int(entry.hash) & mask
            while wider[bucket] != 0 { bucket = (bucket + 1) & mask }
            wider[bucket] = UInt32(truncatingIfNeeded: index + 1)
        }
        buckets = wider
    }

    borrowing func encode(into writer: inout ByteWriter) {
        writer.writeCount(runs.count)
        var start = 0
        for run in runs {
            writer.writeVarint(UInt64(run.type.rawValue))
            writer.writeCount(run.count)
            ids.withBytes { writer.write(UnsafeRawBufferPointer(rebasing: $0[start..<run.end])) }
            start = run.end
        }
    }
}
