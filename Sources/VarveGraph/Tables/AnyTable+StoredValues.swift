// Unique values in a stored table. Stored indexes find the rows that had a value when they were stored; a map of each
// index finds those that were put since. Either may find rows that have another value by now: each is compared.

/// What the unique indexes of a stored table find of rows that were saved since.
///
/// Entries stay when rows go: a look-up compares the row as it is by then. So a rollback changes nothing here.
struct ChangedValues {
    /// Slots under the hashes of values, for each unique index. Nil where many rows have the same value, among which a map
    /// would have to search: then the filled table knows.
    private var maps: ContiguousArray<IDMap?>

    init(count: Int) { maps = ContiguousArray(repeating: IDMap(), count: count) }

    /// - Parameter index: among the unique indexes.
    func entries(ofIndex index: Int, underHash hash: UInt64) -> [Slot]? {
        maps[index].map { $0.candidates(for: hash).map { IDEntry.slot($0) } }
    }

    mutating func insert(_ slot: Slot, underHash hash: UInt64, ofIndex index: Int) {
        guard maps[index]?.contains(hash, slot) == false else { return }
        if maps[index]?.insert(hash, slot) ?? 0 > IndexContent.equalMax { maps[index] = nil }
    }
}

/// Whether another row has the values of one that is to be stored.
enum StoredRival {
    case found(Slot)
    case none
    /// Only the filled table knows.
    case unknown
}

extension AnyTable {
    /// The most rows with one value that a look-up compares.
    private static var equalMax: Int { 64 }

    /// The table in which the values of unique indexes can be looked up: a stored one, or the filled one.
    final func searchable() -> AnyTable {
        if let filled = filledIfThere { return filled }
        return storesUniqueValues || isScanned ? self : filled()
    }

    /// Whether each unique index is stored, and is searched by hash.
    private final var storesUniqueValues: Bool {
        guard let source, source.loadsLeaves, !source.isWorthFilling else { return false }
        return uniqueIndexes.allSatisfy {
            indexDefinitions[$0].isUniqueByHash && source.storedFields(ofIndex: $0) != nil
        }
    }

    /// The first other row of a stored table with the values of a row that is to be saved.
    ///
    /// - Parameter hash: of the row's values in the index.
    final func storedRival(
        of row: UnsafeRawPointer, at slot: Slot?, in index: Int, hash: UInt64
    ) -> StoredRival {
        let definition = indexDefinitions[index]
        if definition.uniqueness?.ignoresNil(in: row) == true { return .none }
        guard let number = uniqueIndexes.firstIndex(of: index), definition.isUniqueByHash else {
            return .unknown
        }
        var candidates: [Slot] = []
        if let changedValues {
            guard let changed = changedValues.entries(ofIndex: number, underHash: hash) else {
                return .unknown
            }
            candidates = changed
        }
        guard let stored = storedSlots(of: row, in: index, hash: hash) else { return .unknown }
        candidates += stored
        guard candidates.count <= AnyTable.equalMax else { return .unknown }
        return firstSlot(among: candidates, sharing: index, with: row, except: slot)
            .map { .found($0) } ?? .none
    }

    /// Whether a row that is to be saved has the values with which it was stored, no other row was stored with them, and none
    /// got them since. Looking for such rows reads the stored index.
    final func isUndisputedAsStored(
        _ row: UnsafeRawPointer, at slot: Slot, in index: Int
    ) -> Bool {
        let definition = indexDefinitions[index]
        // A row with other values than it was stored with was put since.
        guard let source, definition.isUniqueByHash,
            withRawRow(at: slot, { definition.isSame($0, row) }) == true,
            !wasPut(row, in: index)
        else { return false }
        return source.hasDistinctValues(ofIndex: index)
    }

    /// Whether a row with the values of another one, or with their hash, was put since the table was stored.
    private final func wasPut(_ row: UnsafeRawPointer, in index: Int) -> Bool {
        guard let changedValues else { return false }
        guard let number = uniqueIndexes.firstIndex(of: index) else { return true }
        let hash = indexDefinitions[index].key(row).key
        return changedValues.entries(ofIndex: number, underHash: hash)?.isEmpty != true
    }

    /// Rows that had a row's values when they were stored, and perhaps others; nil where only the filled table or a scan
    /// finds them.
    private final func storedSlots(
        of row: UnsafeRawPointer, in index: Int, hash: UInt64
    ) -> [Slot]? {
        guard let source, let fields = source.storedFields(ofIndex: index),
            let bounds = storedBounds(of: row, indexDefinitions[index], fields)
        else { return isScanned ? storedSlots(underHash: hash, ofIndex: index) : nil }
        var slots: [Slot] = []
        let isWhole = source.forEachSlot(ofIndex: index, in: bounds, isReversed: false) { slot, _ in
            slots.append(Slot(slot))
            return slots.count <= AnyTable.equalMax
        }
        return isWhole ? slots : nil
    }

    /// The values of a row in a unique index; nil where one has no stored form, or one of several is nil.
    private final func storedBounds(
        of row: UnsafeRawPointer, _ definition: IndexDefinition, _ fields: [StoredIndexField]
    ) -> FieldBounds? {
        guard let uniqueness = definition.uniqueness else { return nil }
        let values: [Any]
        if fields.count == 1 {
            values = [uniqueness.value(row) as Any]
        } else {
            guard let all = uniqueness.value(row) as? [Any], all.count == fields.count else {
                return nil
            }
            values = all
        }
        var equal: [[UInt8]] = []
        for (value, field) in zip(values, fields) {
            guard let bytes = field.bytes(of: value) else { return nil }
            equal.append(bytes)
        }
        return FieldBounds(equal: equal)
    }

    /// Notes a row that was saved into a stored table.
    ///
    /// - Parameter indexes: those in which it has other values than before, one bit for each.
    final func noteValues(
        of row: UnsafeRawPointer, at slot: Slot, in indexes: UInt64, _ known: KnownKey
    ) {
        for (number, index) in uniqueIndexes.enumerated()
        where indexes & (1 << UInt64(index)) != 0 {
            let definition = indexDefinitions[index]
            guard definition.isUniqueByHash,
                definition.uniqueness?.ignoresNil(in: row) != true
            else { continue }
            let hash = known.index == index ? known.key : definition.key(row).key
            if changedValues == nil {
                changedValues = ChangedValues(count: uniqueIndexes.count)
            }
            changedValues?.insert(slot, underHash: hash, ofIndex: number)
        }
    }
}
