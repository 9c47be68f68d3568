/// Chooses how to answer the head of a query: by a scan, by what indexes name, or along an index
/// whose order is the query's.
///
/// Every answer is the same rows in the same order. What differs is the time, which is estimated
/// from exact counts of index ranges.
///
/// It does not know the entity's type; see ``RowCondition``.
struct QueryPlanner {
    let table: AnyTable
    let head: QueryHead

    init(_ table: AnyTable, _ head: QueryHead) {
        self.table = table
        self.head = head
    }

    var conditions: [RowCondition] { head.conjuncts }
    var indexes: ContiguousArray<IndexDefinition> { table.descriptor.indexes }

    /// A way to find the rows, and what it is expected to cost.
    private struct Way {
        enum Source {
            case scan
            case candidates(Candidates)
            case walk(IndexWalk)
        }

        let cost: Double
        let source: Source
    }

    /// The cheapest way; of equally cheap ones the first.
    func plan() -> PlannedRows {
        if let ranked = ranking() { return ranked }
        guard mayUseIndexes else { return planned(.scan) }
        var options: [Candidates] = []
        if !conditions.isEmpty {
            let search = IndexSearch(conditions)
            for index in indexes.indices {
                guard let ranges = ranges(of: index, search) else { continue }
                // The search for a better way than one row would cost more than that row.
                if ranges.count <= 1 { return planned(.candidates(ranges)) }
                options.append(ranges)
            }
            addBranches(of: conditions, to: &options)
        }
        let ways = ways(options)
        var best = ways[0]
        for way in ways.dropFirst() where way.cost < best.cost { best = way }
        return planned(best.source)
    }

    /// The plan for a stored table, which has no indexes: a scan.
    func planOfPass() -> PlannedRows {
        ranking() ?? planned(.storedScan, covered: ConditionSet(), orderings: head.orderings)
    }

    /// All ways to answer, with what each is expected to cost. The first is one without an index.
    func alternatives() -> [(cost: Double, rows: PlannedRows)] {
        if let ranked = ranking() { return [(0, ranked)] }
        guard mayUseIndexes else { return [(0, planned(.scan))] }
        let options = conditions.isEmpty ? [] : candidates(for: conditions)
        return ways(options).map { ($0.cost, planned($0.source)) }
    }

    private var mayUseIndexes: Bool { !indexes.isEmpty && head.wanted != 0 }

    private func ways(_ options: [Candidates]) -> [Way] {
        let estimate = PlanEstimate(
            rows: table.liveCount, selectivities: selectivities(options), head: head)
        var ways = [Way(cost: estimate.scanCost, source: .scan)]
        let pairs = options.count < 2 ? [] : intersections(options)
        for option in options + pairs {
            ways.append(Way(cost: estimate.cost(of: option), source: .candidates(option)))
        }
        for walk in walks() {
            ways.append(Way(cost: estimate.cost(of: walk), source: .walk(walk)))
        }
        return ways
    }

    /// The order of a text condition alone comes from whoever computes the scores: they depend on
    /// all rows, so that no other way to find rows would save anything.
    private func ranking() -> PlannedRows? {
        guard head.orderings.count == 1, case .rank(let condition) = head.orderings[0] else {
            return nil
        }
        // Of several, as an intersection brings them along, one orders and all have to be met.
        let ranked = conditions.indices.filter { conditions[$0].isRanked }
        guard ranked.count == 1 else { return nil }
        return planned(.ranking(condition), covered: ConditionSet(ranked[0]), orderings: [])
    }

    private func planned(_ source: Way.Source) -> PlannedRows {
        switch source {
        case .scan: planned(.scan, covered: ConditionSet(), orderings: head.orderings)
        case .candidates(let candidates):
            planned(
                .candidates(candidates), covered: candidates.covered, orderings: head.orderings)
        case .walk(let walk): planned(.walk(walk), covered: walk.covered, orderings: [])
        }
    }

    private func planned(
        _ source: PlannedRows.Source, covered: ConditionSet, orderings: [QueryHead.Ordering]
    ) -> PlannedRows {
        PlannedRows(
            source: source, residual: residual(behind: covered), orderings: orderings,
            page: head.page, next: head.next)
    }

    /// What is left to test where some conditions are met.
    private func residual(behind covered: ConditionSet) -> RowCondition? {
        if covered.isEmpty && conditions.count == 1 { return conditions[0] }
        var rest: [RowCondition] = []
        for position in conditions.indices where !covered.contains(position) {
            rest.append(conditions[position])
        }
        return rest.isEmpty ? nil : .all(of: rest)
    }

    /// Which part of the rows each condition lets through: exactly, where an index answers it
    /// alone, else guessed from its kind.
    private func selectivities(_ options: [Candidates]) -> [Double] {
        let rows = Double(max(1, table.liveCount))
        var parts = [Double?](repeating: nil, count: conditions.count)
        for option in options {
            guard let position = option.used.only else { continue }
            parts[position] = min(parts[position] ?? 1, Double(option.count) / rows)
        }
        return conditions.indices.map { parts[$0] ?? min(1, conditions[$0].guessedSelectivity) }
    }

    /// Pairs of candidates for different conditions, where both together are fewer.
    private func intersections(_ options: [Candidates]) -> [Candidates] {
        let few = options.sorted { $0.count < $1.count }.prefix(4)
        var pairs: [Candidates] = []
        let rows = Double(max(1, table.liveCount))
        for (position, first) in few.enumerated() {
            for second in few.dropFirst(position + 1)
            where first.used.isDisjoint(with: second.used) {
                let count = Double(first.count) * Double(second.count) / rows
                pairs.append(
                    Candidates(
                        shape: .intersection(first, second), count: Int(count.rounded(.up)),
                        covered: first.covered.union(second.covered),
                        used: first.used.union(second.used)))
            }
        }
        return pairs
    }
}

extension RowCondition {
    fileprivate var isRanked: Bool {
        if case .text(let condition) = structure { return condition.isRanked }
        return false
    }

    /// Which part of the rows is likely to meet the condition, as far as its kind tells.
    var guessedSelectivity: Double {
        switch structure {
        case .property(let condition):
            switch condition.relation {
            case .equal: 0.05
            case .notEqual: 0.95
            case .isIn: min(0.8, 0.05 * Double(condition.operands.count))
            case .less, .lessOrEqual, .greater, .greaterOrEqual: 0.35
            }
        case .conjunction(let parts): parts.reduce(1) { $0 * $1.guessedSelectivity }
        case .disjunction(let parts): parts.reduce(0) { min(1, $0 + $1.guessedSelectivity) }
        case .negation(let condition): 1 - condition.guessedSelectivity
        case .text: 0.1
        case .opaque: 0.5
        }
    }
}
