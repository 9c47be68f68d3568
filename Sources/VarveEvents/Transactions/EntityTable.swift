/// The entities that a transaction mentions, each once: runs of one type, ids within.
///
/// Ids are hashed when one is looked up for the first time. Most commits look up none: what encodes them knows
/// entities by their slots.
struct EntityTable: ~Copyable {
    private struct Entry {
        let type: TypeNumber
        let start: Int
        let count: Int
        /// 0 until there is a bucket for it.
        var hash: UInt32 = 0
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
    /// How many of the entries have a bucket.
    private var bucketCount = 0

    var count: Int { entries.count }

    mutating func removeAll() {
        freeBuckets()
        entries.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        ids.removeAll()
    }

    private mutating func freeBuckets() {
        guard bucketCount > 0 else { return }
        // Clearing must not cost what the largest transaction ever needed.
        if buckets.count > 1_024, bucketCount < buckets.count / 8 {
            buckets = [UInt32](repeating: 0, count: 1_024)
        } else {
            buckets.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        }
        bucketCount = 0
    }

    /// The index of an entity, which is entered if it is new.
    mutating func index(of type: TypeNumber, _ id: UnsafeRawBufferPointer) -> EntityIndex {
        while bucketCount < entries.count { giveBucket() }
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
        let index = append(type, id)
        giveBucket(hash)
        return index
    }

    /// The index of an entity of which the caller knows that nothing but ``index(of:_:)`` may have entered it.
    mutating func indexOfUnlisted(
        _ type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) -> EntityIndex {
        bucketCount > 0 ? index(of: type, id) : append(type, id)
    }

    /// Enters an entity without asking whether it is there already.
    @discardableResult
    mutating func append(_ type: TypeNumber, _ id: UnsafeRawBufferPointer) -> EntityIndex {
        precondition(entries.count < Int32.max, "A transaction mentions fewer entities")
        ids.writeLengthPrefixed(id)
        entries.append(Entry(type: type, start: ids.count - id.count, count: id.count))
        if let last = runs.indices.last, runs[last].type == type {
            runs[last].count += 1
            runs[last].end = ids.count
        } else {
            runs.append(Run(type: type, count: 1, end: ids.count))
        }
        return EntityIndex(UInt32(truncatingIfNeeded: entries.count - 1))
    }

    /// Puts the first entry that has none into a bucket.
    private mutating func giveBucket(_ known: UInt32? = nil) {
        let entry = entries[bucketCount]
        let hash =
            known
            ?? ids.withBytes { bytes in
                Self.hash(
                    entry.type,
                    UnsafeRawBufferPointer(
                        rebasing: bytes[entry.start..<(entry.start + entry.count)]))
            }
        entries[bucketCount].hash = hash
        bucketCount += 1
        Self.enter(bucketCount, hash, in: &buckets)
        if bucketCount * 4 > buckets.count * 3 { rehash() }
    }

    private static func enter(_ number: Int, _ hash: UInt32, in buckets: inout [UInt32]) {
        let mask = buckets.count - 1
        var bucket = Int(hash) & mask
        while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
        buckets[bucket] = UInt32(truncatingIfNeeded: number)
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

    private mutating func rehash() {
        var wider = [UInt32](repeating: 0, count: buckets.count * 2)
        for index in 0..<bucketCount { Self.enter(index + 1, entries[index].hash, in: &wider) }
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
