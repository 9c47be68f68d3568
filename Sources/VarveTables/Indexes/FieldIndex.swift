package import VarveEvents

/// An index on fields of one table: a ``KeyTree`` of their keys, each with its row's slot behind it.
///
/// Keys are made of rows as they are stored, without the application. An entry is removed by the key
/// that was made of the old row: keys depend on nothing but bytes.
package struct FieldIndex: Sendable {
    private struct Part: Sendable {
        /// Of the field, in the layout.
        let position: Int
        let type: StoredType
        let key: KeyPart
    }

    private let parts: [Part]
    private(set) var tree: KeyTree

    private static let slotBytes = 4

    /// An empty index on fields of a layout. Nil where it lacks one, where one is of a type whose
    /// order is the application's, or where they are too many for a page.
    ///
    /// - Parameter pageBytes: how much of a page is used, where the longest keys need no larger one.
    package init?(_ layout: RowLayout, _ declaration: IndexDeclaration, pageBytes: Int = 512) {
        let fields = layout.definition.fields
        var parts: [Part] = []
        for field in declaration.fields {
            guard let position = fields.firstIndex(where: { $0.number == field.number }),
                let key = KeyPart(fields[position].type, isDescending: field.isDescending)
            else { return nil }
            parts.append(Part(position: position, type: fields[position].type, key: key))
        }
        let longest = parts.reduce(Self.slotBytes) { $0 + $1.key.byteCountMax }
        guard let needed = KeyTree.pageBytes(forKeysOf: longest) else { return nil }
        self.parts = parts
        tree = KeyTree(pageBytes: max(pageBytes, needed))
    }

    /// Takes over the tree of an image. Returns false, without a change, where this program makes other keys, or
    /// pages of another size.
    mutating func take(_ tree: KeyTree, madeIn form: KeyForm) -> Bool {
        guard form == self.form, tree.pageBytes == self.tree.pageBytes else { return false }
        self.tree = tree
        return true
    }

    /// What the keys depend on.
    var form: KeyForm { .current(withTexts: parts.contains { $0.key.isOfText }) }

    /// Takes over the entries of an index on an older layout. Returns false, without a change, where its
    /// keys are others: a field has another type now.
    mutating func takeEntries(of other: FieldIndex) -> Bool {
        guard parts.map(\.type) == other.parts.map(\.type) else { return false }
        tree = other.tree
        return true
    }

    /// Appends the key of a row. Returns whether equal keys mean equal values.
    package func writeKey(
        of row: UnsafeRawBufferPointer, _ layout: RowLayout, into key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        var reader = ByteReader(row)
        var position = 0
        var isExact = true
        for part in parts {
            if part.position < position {
                reader = ByteReader(row)
                position = 0
            }
            while position < part.position {
                try layout.skip(position, in: &reader)
                position += 1
            }
            if try !part.key.encode(&reader, into: &key) { isExact = false }
            position += 1
        }
        return isExact
    }

    /// Appends the key of a value of one of the fields.
    func writeKey(
        of value: [UInt8], ofPart position: Int, into key: inout ByteWriter
    ) throws(CodecError) {
        var failure: CodecError?
        value.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            do throws(CodecError) {
                _ = try parts[position].key.encode(&reader, into: &key)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    func isDescending(part position: Int) -> Bool { parts[position].key.isDescending }

    // MARK: Reading

    /// Calls `body` with the slots of the rows whose keys begin at `first` and come before `end`, if there is one, in
    /// order of keys or against it, until it returns false.
    ///
    /// - Parameter body: is handed whether the key is another one than that before.
    package func forEach(
        from first: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer?,
        isReversed: Bool = false, in pages: PageTable,
        while body: (_ slot: Slot, _ isNewKey: Bool) -> Bool
    ) {
        var cursor =
            isReversed ? tree.cursor(before: end, in: pages) : tree.cursor(from: first, in: pages)
        var former: UnsafeRawBufferPointer?
        while let entry = cursor.nextKey() {
            let isWithin =
                isReversed ? !entry.precedes(first) : end.map { entry.precedes($0) } ?? true
            guard isWithin else { return }
            if let former, isReversed ? former.precedes(entry) : entry.precedes(former) {
                // Of a forged image: keys out of order hide others.
                return pages.noteContradiction()
            }
            let key = Self.key(of: entry)
            let isNewKey = former.map { !Self.key(of: $0).hasSameBytes(as: key) } ?? true
            former = entry
            guard body(Self.slot(of: entry), isNewKey) else { return }
        }
    }

    /// Calls `body` with the entries of the rows whose keys begin at `first` and come before `end`, in order
    /// of keys, until it returns false.
    package func forEachEntry(
        from first: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer, of rows: RowTree,
        in pages: PageTable, while body: (StoredRow) throws(CodecError) -> Bool
    ) throws(CodecError) {
        var cursor = tree.cursor(from: first, in: pages)
        var slots: [Slot] = []
        slots.reserveCapacity(RowTree.batchCount)
        // Few at first: a caller that wants one row should not wait for many.
        var batchCount = 4
        while true {
            slots.removeAll(keepingCapacity: true)
            while slots.count < batchCount, let key = cursor.nextKey(), key.precedes(end) {
                slots.append(Self.slot(of: key))
            }
            if slots.isEmpty { return }
            let goesOn = try slots.withUnsafeBufferPointer { slots throws(CodecError) in
                try rows.forEach(slots, in: pages, while: body)
            }
            if !goesOn || slots.count < batchCount { return }
            batchCount = min(batchCount * 2, RowTree.batchCount)
        }
    }

    /// The key of an entry, without the slot.
    static func key(of entry: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: entry.dropLast(slotBytes))
    }

    static func slot(of key: UnsafeRawBufferPointer) -> Slot {
        // A key of an image may be shorter. No table has the slot.
        guard key.count >= slotBytes else { return Slot(.max) }
        let bytes = key.loadUnaligned(fromByteOffset: key.count - slotBytes, as: UInt32.self)
        return Slot(UInt32(bigEndian: bytes))
    }

    // MARK: Changing

    /// Takes in that a row has changed: nil where there was, or is, none. Returns whether an entry was removed.
    @discardableResult
    package mutating func change(
        _ slot: Slot, from old: UnsafeRawBufferPointer?, to new: UnsafeRawBufferPointer?,
        _ layout: RowLayout, in transaction: PageTransaction
    ) throws(CodecError) -> Bool {
        // The old entry, then the new one.
        var entries = ByteWriter(capacity: 256)
        if let old { try writeEntry(slot, old, layout, into: &entries) }
        let middle = entries.count
        if let new { try writeEntry(slot, new, layout, into: &entries) }
        return entries.withBytes { bytes in
            let removed = UnsafeRawBufferPointer(rebasing: bytes[..<middle])
            let added = UnsafeRawBufferPointer(rebasing: bytes[middle...])
            if removed.hasSameBytes(as: added) { return false }
            // The entry of a row is there, and a row has one: but for those of an image.
            if old != nil, !tree.remove(removed, in: transaction) {
                transaction.pages.noteContradiction()
            }
            if new != nil, !tree.insert(added, in: transaction) {
                transaction.pages.noteContradiction()
            }
            return old != nil
        }
    }

    func writeEntry(
        _ slot: Slot, _ row: UnsafeRawBufferPointer, _ layout: RowLayout,
        into entry: inout ByteWriter
    ) throws(CodecError) {
        _ = try writeKey(of: row, layout, into: &entry)
        // Highest byte first.
        entry.write(littleEndian: slot.rawValue.byteSwapped)
    }

    /// Adds an entry behind all others, or at its place.
    mutating func insertEntry(_ entry: UnsafeRawBufferPointer, in transaction: PageTransaction) {
        // Of a forged image two rows may come to one slot.
        if !tree.insert(entry, in: transaction) { transaction.pages.noteContradiction() }
    }

    /// Releases all pages: the index is as if it were new.
    mutating func removeAll(in transaction: PageTransaction) { tree.removeAll(in: transaction) }
}
