import VarveEvents

/// Looks up many ids at once, so that they do not wait for memory one after the other: the loads of one are under way
/// while those of the others begin.
///
///     all    hash, nodes of the map -> bucket, prefetched
///     all    tag in the bucket -> slot, where one has it; its leaf prefetched
///     all    leaf -> id, prefetched
///     all    id -> whether it is the one
struct EntityLookup {
    /// As many as stay in the processor's first cache.
    static let count = 32

    private struct Wanted {
        /// The caller's, of the id.
        let index: Int
        let id: UnsafeRawBufferPointer
        let table: Int
        let tag: UInt32
        let bucket: IDBucket
    }

    private struct Found {
        /// In the ids that are looked up.
        let position: Int
        let table: Int
        let slot: Slot
    }

    private var wanted: [Wanted] = []
    private var found: [Found] = []

    mutating func removeAll() { wanted.removeAll(keepingCapacity: true) }

    /// Adds an id of a table.
    ///
    /// - Parameter ids: the map of the table.
    mutating func add(
        _ index: Int, _ id: UnsafeRawBufferPointer, of table: Int, _ ids: IDMap, _ pages: PageTable
    ) {
        let hash = ids.hash(id)
        guard let bucket = ids.bucket(ofHash: hash, in: pages) else { return }
        bucket.prefetch()
        wanted.append(
            Wanted(index: index, id: id, table: table, tag: IDMap.tag(hash), bucket: bucket))
    }

    /// Sets the slots of those ids that are known, at their indices.
    ///
    /// - Parameter tables: a buffer, because reading one of an array copies it.
    mutating func find(
        in tables: UnsafeBufferPointer<Table>, _ pages: PageTable, _ slots: inout [Slot?]
    ) {
        found.removeAll(keepingCapacity: true)
        for (position, item) in wanted.enumerated() {
            guard let slot = item.bucket.find(item.tag, where: { _ in true }) else { continue }
            found.append(Found(position: position, table: item.table, slot: slot))
            tables[item.table].prefetch(slot, in: pages)
        }
        for item in found { tables[item.table].rows.entry(item.slot, in: pages).prefetchID() }
        for item in found {
            let entry = tables[item.table].rows.entry(item.slot, in: pages)
            let id = wanted[item.position]
            if entry.id.hasSameBytes(as: id.id) { slots[id.index] = item.slot }
        }
    }
}
