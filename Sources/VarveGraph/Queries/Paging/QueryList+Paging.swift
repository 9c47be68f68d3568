extension QueryList {
    /// The part of the result behind a cursor; the first part without one.
    ///
    /// ```swift
    /// let query = User.query().sorted(by: \.age)
    /// let first = try query.page(limit: 20, in: context)
    /// let second = try query.page(after: first.next, limit: 20, in: context)
    /// ```
    ///
    /// Of a query of a whole type, filtered and sorted, each entity is met exactly once however
    /// much is inserted, deleted or changed between the pages, as long as its own place does not
    /// move across the cursor. Queries in an order of their own (of given ids, of a relation, with
    /// a limit in the middle) go on behind the last entity as long as it is there, and else where
    /// it stood.
    ///
    /// - Throws: ``QueryCursorError`` where the cursor is of another query, or where the query
    ///   sorts by something that is not `Codable`.
    /// - Complexity: that of the query with a limit. In insertion order, and sorted ascending by an
    ///   indexed property, what comes before the cursor is skipped, not passed.
    @inlinable
    public func page(
        after cursor: QueryCursor? = nil, limit: Int, in context: Context
    ) throws(QueryCursorError) -> QueryPage<Entity> {
        let order = try PageOrder(of: self, cursor)
        guard limit > 0, let table = context.rows(of: Entity.self) else {
            return QueryPage(entities: [], end: cursor, hasMore: false)
        }
        var found = ContiguousArray<UInt32>()
        var start = 0
        switch try order.start(of: self, behind: cursor, in: context) {
        case .query(let query): found = query.limit(limit.addingClamped(1)).slots(in: context)
        case .slot(let first, let test):
            found = context.slots(
                of: Entity.self, from: first, limit: limit.addingClamped(1), test)
        case .list:
            found = slots(in: context)
            start = cursor.map { table.place(behind: $0, in: found) } ?? 0
            found.removeFirst(start)
        }
        let hasMore = found.count > limit
        if hasMore { found.removeLast(found.count - limit) }
        let end = try found.last.map { last throws(QueryCursorError) in
            try order.cursor(at: last, position: start + found.count, table)
        }
        return QueryPage(
            entities: plan.materialize(found, in: context), end: end ?? cursor, hasMore: hasMore)
    }
}

extension Context {
    /// Slots with rows that pass a test, in slot order.
    @usableFromInline
    func slots<Entity: EntityModelProtocol>(
        of type: Entity.Type, from first: UInt32, limit: Int,
        _ test: (@Sendable (UnsafeRawPointer) -> Bool)?
    ) -> ContiguousArray<UInt32> {
        table(of: type)?.slots(from: first, limit: limit, test) ?? []
    }
}

extension AnyTable {
    /// Slots with rows that pass the test, in slot order.
    fileprivate final func slots(
        from first: UInt32, limit: Int, _ test: (@Sendable (UnsafeRawPointer) -> Bool)?
    ) -> ContiguousArray<UInt32> {
        var found = ContiguousArray<UInt32>()
        visitInChunks(first..<UInt32(slotCount)) { slot, row in
            if test?(row) ?? true { found.append(slot) }
            return found.count < limit
        }
        return found
    }
}

extension Table {
    /// Where to go on in a list that has an order of its own.
    @usableFromInline
    func place(behind cursor: QueryCursor, in slots: ContiguousArray<UInt32>) -> Int {
        // A cursor may come from anywhere: its numbers are taken as what they may mean here.
        let place = Swift.min(Swift.max(cursor.position, 1), slots.count + 1) - 1
        guard let slot = slot(ofEncodedID: cursor.id)?.rawValue else { return place }
        let places = slots.indices.filter { slots[$0] == slot }
        let nearest = places.min { abs($0 - place) < abs($1 - place) }
        return nearest.map { $0 + 1 } ?? place
    }
}
