package import VarveEvents

/// An index on fields of one table: a ``KeyTree`` of their keys, each with its row's slot behind it.
///
/// Keys are made of rows as they are stored, without the application. An entry is removed by the key
/// that was made of the old row: keys depend on nothing but bytes.
package struct FieldIndex: Sendable {
    /// By their positions in the layout, ascending.
    private let fields: [(position: Int, part: KeyPart)]
    private var tree: KeyTree

    private static let slotBytes = 4

    /// An empty index on the fields at ascending positions of a layout. Nil where one is of a type
    /// whose order is the application's, or where they are too many for a page.
    ///
    /// - Parameter pageBytes: how much of a page is used, where the longest keys need no larger one.
    package init?(_ layout: RowLayout, positions: [Int], pageBytes: Int = 512) {
        var fields: [(position: Int, part: KeyPart)] = []
        for position in positions {
            guard let part = KeyPart(layout.definition.fields[position].type) else { return nil }
            fields.append((position, part))
        }
        let longest = fields.reduce(Self.slotBytes) { $0 + $1.part.byteCountMax }
        guard let needed = KeyTree.pageBytes(forKeysOf: longest) else { return nil }
        self.fields = fields
        tree = KeyTree(pageBytes: max(pageBytes, needed))
    }

    /// Appends the key of a row. Returns whether equal keys mean equal values.
    package func writeKey(
        of row: UnsafeRawBufferPointer, _ layout: RowLayout, into key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        var reader = ByteReader(row)
        var position = 0
        var isExact = true
        for field in fields {
            while position < field.position {
                try layout.skip(position, in: &reader)
                position += 1
            }
            if try !field.part.encode(&reader, into: &key) { isExact = false }
            position += 1
        }
        return isExact
    }

    // MARK: Reading

    /// The slots of the rows whose keys begin at `first` and come before `end`, in order of keys.
    package func forEach(
        from first: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer, in pages: PageTable,
        while body: (Slot) -> Bool
    ) {
        var cursor = tree.cursor(from: first, in: pages)
        while let key = cursor.nextKey(), key.precedes(end) {
            if !body(Self.slot(of: key)) { return }
        }
    }

    private static func slot(of key: UnsafeRawBufferPointer) -> Slot {
        let bytes = key.loadUnaligned(fromByteOffset: key.count - slotBytes, as: UInt32.self)
        return Slot(UInt32(bigEndian: bytes))
    }

    // MARK: Changing

    /// Takes in that a row has changed: nil where there was, or is, none.
    package mutating func change(
        _ slot: Slot, from old: UnsafeRawBufferPointer?, to new: UnsafeRawBufferPointer?,
        _ layout: RowLayout, in transaction: PageTransaction
    ) throws(CodecError) {
        var removed = ByteWriter()
        var added = ByteWriter()
        if let old { _ = try writeKey(of: old, layout, into: &removed) }
        if let new { _ = try writeKey(of: new, layout, into: &added) }
        let isSame = removed.withBytes { removed in
            added.withBytes { old != nil && new != nil && removed.hasSameBytes(as: $0) }
        }
        if isSame { return }
        let suffix = slot.rawValue.bigEndian
        if old != nil {
            removed.write(littleEndian: UInt32(littleEndian: suffix))
            let isRemoved = removed.withBytes { tree.remove($0, in: transaction) }
            assert(isRemoved, "The entry of a row is there")
        }
        if new != nil {
            added.write(littleEndian: UInt32(littleEndian: suffix))
            let isAdded = added.withBytes { tree.insert($0, in: transaction) }
            assert(isAdded, "A row has one entry")
        }
    }
}
