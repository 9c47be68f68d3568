/// The order of sections by their keys.
public enum SectionOrder: Sendable, Hashable {
    /// The smallest key first; nil before every other key.
    case ascending
    /// The greatest key first; nil behind every other key.
    case descending
}

/// What divides results into sections: a property of theirs, or one of an entity that they lead to.
///
/// ```swift
/// .property(\.genre)                        // stored or computed, optional too
/// .property(\.year, .descending)
/// .related(\.$album, \.title)               // of a related entity; nil where there is none
/// ```
///
/// All results with one key are one section.
public struct SectionKey<Entity: EntityModelProtocol, Key: Sendable>: Sendable {
    enum Source: Sendable {
        /// A property of the row. The comparator puts rows into the order of their keys.
        case row(@Sendable (UnsafeRawPointer) -> Key, RowComparator)
        /// A property of the row that a to-one relation leads to, by its slot; nil for none.
        case related(relation: Int, @Sendable (UInt32?, Context) -> Key)
    }

    let source: Source
    /// Less than, equal to or greater than zero, as the section of the first key comes before, with or behind.
    let compare: @Sendable (Key, Key) -> Int

    private init<Value: Comparable & Sendable>(
        _ source: Source, _ order: SectionOrder, comparing value: @escaping @Sendable (Key) -> Value
    ) {
        self.source = source
        switch order {
        case .ascending: compare = { ValueOrder.compare(value($0), value($1)) }
        case .descending: compare = { ValueOrder.compare(value($1), value($0)) }
        }
    }
}

extension SectionKey {
    /// Sections by a property, stored or computed.
    ///
    /// - Precondition: the property reads no relation; see ``related(_:_:_:)``.
    public static func property(
        _ path: KeyPath<Entity, Key>, _ order: SectionOrder = .ascending
    ) -> SectionKey where Key: Comparable {
        SectionKey(source(path, sortedBy: path, order), order) { $0 }
    }

    /// Sections by an optional property; entities without a value are a section of their own.
    ///
    /// - Precondition: the property reads no relation; see ``related(_:_:_:)``.
    public static func property<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Value?>, _ order: SectionOrder = .ascending
    ) -> SectionKey where Key == Value? {
        SectionKey(source(path, sortedBy: path.appending(path: \.nilFirst), order), order) {
            NilFirst($0)
        }
    }

    private static func source<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Key>, sortedBy value: KeyPath<Entity, Value>, _ order: SectionOrder
    ) -> Source {
        let read = PropertyReader(path)
        var comparator = RowComparator()
        switch order {
        case .ascending: comparator.add(value)
        case .descending: comparator.add(value.appending(path: \.desc))
        }
        return .row({ read.presented($0) }, comparator)
    }
}

extension SectionKey {
    /// Sections by a property of the entity that a to-one relation leads to. They follow changes of that entity, too.
    ///
    /// Entities that lead to none are a section of their own, with the key nil.
    public static func related<Child, Direction, Rule, Value: Comparable & Sendable>(
        _ relation: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ path: KeyPath<Child, Value>, _ order: SectionOrder = .ascending
    ) -> SectionKey where Key == Value? {
        let read = PropertyReader(path)
        return related(relation, to: Child.self, order) { read.presented($0) }
    }

    /// Sections by an optional property of the entity that a to-one relation leads to. They follow changes of that
    /// entity, too.
    ///
    /// Entities that lead to none are in one section with those that lead to one without a value.
    public static func related<Child, Direction, Rule, Value: Comparable & Sendable>(
        _ relation: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>,
        _ path: KeyPath<Child, Value?>, _ order: SectionOrder = .ascending
    ) -> SectionKey where Key == Value? {
        let read = PropertyReader(path)
        return related(relation, to: Child.self, order) { read.presented($0) }
    }

    private static func related<Child: EntityModelProtocol, Value: Comparable & Sendable>(
        _ relation: PartialKeyPath<Entity>, to child: Child.Type, _ order: SectionOrder,
        _ read: @escaping @Sendable (UnsafeRawPointer) -> Value?
    ) -> SectionKey where Key == Value? {
        let source = Source.related(relation: RelationPlace(relation).index) { slot, context in
            guard let slot, let table = context.table(of: Child.self), Int(slot) < table.slotCount
            else { return nil }
            var rows = RowCursor(table)
            return rows.withRow(at: slot) { read($0) } ?? nil
        }
        return SectionKey(source, order) { NilFirst($0) }
    }
}

extension SectionKey {
    /// The key of a row.
    func key(
        of row: UnsafeRawPointer, _ slot: UInt32, _ table: Table<Entity>, in context: Context
    ) -> Key {
        switch source {
        case .row(let read, _): read(row)
        case .related(let relation, let read):
            read(table.slotList(relation: relation, of: slot).first, context)
        }
    }
}
