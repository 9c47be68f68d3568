// Which indexes already are in the order of a query.

extension QueryPlanner {
    /// The indexes whose order is the query's, behind components that conditions fix.
    func walks() -> [IndexWalk] {
        guard let comparator = head.comparator else { return [] }
        if case .last = head.page { return [] }
        let paths = comparator.parts.compactMap { $0.path?.raw }
        guard paths.count == comparator.parts.count else { return [] }
        var found: [IndexWalk] = []
        let start = IndexSearch(conditions)
        for index in indexes.indices {
            let definition = indexes[index]
            guard definition.kind == .ordered else { continue }
            var search = start
            while true {
                if let walk = walk(index, search, paths) { found.append(walk) }
                guard search.depth < definition.components.count,
                    search.addEquality(at: definition.components[search.depth].path.raw),
                    search.rangeCount == 1
                else { break }
            }
        }
        return found
    }

    /// A walk behind the components that are fixed so far, if the next ones are the order.
    private func walk(
        _ index: Int, _ search: IndexSearch, _ paths: [AnyKeyPath]
    ) -> IndexWalk? {
        let definition = indexes[index]
        let depth = search.depth + paths.count
        guard depth <= definition.components.count,
            let isReversed = QueryPlanner.direction(
                of: paths, along: definition.components[search.depth..<depth])
        else { return nil }
        var search = search
        search.addRange(at: definition.components[search.depth].path.raw)
        var found: PostingRange?
        _ = search.forEachBounds { bounds in
            found = table.postings(of: index, in: bounds)
            return false
        }
        guard let range = found else { return nil }
        return IndexWalk(
            index: index, definition: definition, componentCount: depth, range: range,
            order: isReversed ? .descending(depth: depth) : .ascending(depth: depth),
            isDescending: isReversed, covered: search.exact, used: search.used)
    }

    /// Whether the paths run against the components, all of them; nil where they do neither.
    static func direction(
        of paths: [AnyKeyPath], along components: ArraySlice<IndexComponent>
    ) -> Bool? {
        var isReversed: Bool?
        for (path, component) in zip(paths, components) {
            let isDescending: Bool
            if path == component.path.raw {
                isDescending = false
            } else if path == component.descendingPath?.raw {
                isDescending = true
            } else {
                return nil
            }
            let runsAgainst = isDescending != component.isDescending
            guard isReversed ?? runsAgainst == runsAgainst else { return nil }
            isReversed = runsAgainst
        }
        return isReversed
    }
}
