/// Compares rows by one or more properties.
@usableFromInline
struct RowComparator: Sendable {
    /// One property of the order.
    @usableFromInline
    struct Part: Sendable {
        /// What it sorts by, or nil for something that no index can know.
        @usableFromInline let path: SendablePath?
        @usableFromInline let name: String?
        /// Less than, equal to or greater than zero, as the first row comes before, with or
        /// behind.
        @usableFromInline
        let compare: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int
        /// An order-preserving prefix of the row's value; see ``ValueOrder/key(_:)``.
        @usableFromInline
        let key: @Sendable (UnsafeRawPointer) -> (key: UInt64, isExact: Bool)
        /// How cursors hold the property.
        @usableFromInline let cursorValue: CursorValue?

        @usableFromInline
        init(
            path: SendablePath?, name: String?,
            compare: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int,
            key: @escaping @Sendable (UnsafeRawPointer) -> (key: UInt64, isExact: Bool),
            cursorValue: CursorValue? = nil
        ) {
            self.path = path
            self.name = name
            self.compare = compare
            self.key = key
            self.cursorValue = cursorValue
        }
    }

    @usableFromInline var parts: [Part] = []

    @inlinable
    init() {}

    @inlinable
    mutating func add<Entity: EntityModelProtocol, Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>
    ) {
        let read = PropertyReader(path)
        parts.append(
            Part(
                path: SendablePath(path), name: nil,
                compare: { ValueOrder.compare(read($0), read($1)) },
                key: { ValueOrder.key(read($0)) }, cursorValue: CursorValue(path)))
    }

    /// Less than, equal to or greater than zero, as the first row comes before, with or behind.
    @usableFromInline
    func compare(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, from part: Int = 0
    ) -> Int {
        var part = part
        while part < parts.count {
            let order = parts[part].compare(first, second)
            if order != 0 { return order }
            part += 1
        }
        return 0
    }

    /// The slots in the order of the properties; equal rows stay in the order they came in.
    func sorted(
        _ slots: ContiguousArray<UInt32>, in table: AnyTable, keeping kept: Int = .max
    ) -> ContiguousArray<UInt32> {
        if !table.isFilled, table.isScanned {
            return sorted(slots, scanning: table, keeping: kept)
        }
        var selection = RowSelection(self, keeping: kept, expecting: slots.count)
        table.visitRows(at: slots, isTransient: false) { slot, row in
            selection.add(slot, row)
            return true
        }
        return withExtendedLifetime(table) { selection.finish() }
    }

    /// As above, of a scanned table.
    private func sorted(
        _ slots: ContiguousArray<UInt32>, scanning table: AnyTable, keeping kept: Int
    ) -> ContiguousArray<UInt32> {
        var selection = ExternalSort(table, self, keeping: kept)
        table.visitRows(at: slots, isTransient: true) { slot, row in
            selection.add(slot, row)
            return true
        }
        return selection.finish()
    }

    /// The properties in words.
    var description: String {
        parts.map { $0.name ?? $0.path?.propertyName ?? "" }.joined(separator: ", ")
    }
}
