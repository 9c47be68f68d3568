extension QueryList {
    /// Calls `body` with each entity that the query finds, in the query's order, with what the query loads of their
    /// relations.
    ///
    /// For passing over many: no array of them is made. To stop early, throw.
    @inlinable
    public func forEach<Failure: Error>(
        in context: Context, _ body: (Entity) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        visit(in: context) { entity in
            do throws(Failure) {
                try body(entity)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Calls `body` with each entity that the query finds, until it returns false.
    @inlinable
    func visit(in context: Context, _ body: (Entity) -> Bool) {
        guard let position = context.tables.position(of: Entity._descriptor) else { return }
        if case .all = source, plan.shape.isEmpty {
            let (table, rows) = plan.list.planned(in: context, table: position)
            if rows.next == plan.steps.count {
                return rows.forEachRow(in: table, isTransient: true) { _, row in
                    body(row.assumingMemoryBound(to: Entity.self).pointee)
                }
            }
        }
        let table = context.tables.tables[rows: position].rows(of: Entity.self)
        let loaders = NestedLoaders(depth: plan.shape.depth)
        defer { loaders.end() }
        let loader = plan.shape.loader(of: table, in: context, loaders)
        var rest = slots(in: context)[...]
        while !rest.isEmpty {
            let group = ContiguousArray(rest.prefix(RowLoader<Entity>.groupCount))
            for entity in loader.load(group, in: loaders) where !body(entity) { return }
            rest = rest.dropFirst(group.count)
        }
    }
}
