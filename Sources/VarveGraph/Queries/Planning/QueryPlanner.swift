/// Chooses how to answer the head of a query: by a scan, by what indexes name, or along an index
/// whose order is the query's.
///
/// Every answer is the same rows in the same order. What differs is the time, which is estimated
/// from exact counts of index ranges.
struct QueryPlanner<Entity: EntityModelProtocol> {
    let table: Table<Entity>
    let head: QueryHead<Entity>
    let conditions: [QueryPredicate<Entity>]

    init(_ table: Table<Entity>, _ head: QueryHead<Entity>) {
        self.table = table
        self.head = head
        conditions = head.conjuncts
    }

    /// The cheapest way; of equally cheap ones the first.
    func plan() -> PlannedRows<Entity> {
        let ways = alternatives()
        var best = ways[0]
        for way in ways.dropFirst() where way.cost < best.cost { best = way }
        return best.rows
    }

    /// All ways to answer, with what each is expected to cost. The first is one without an index.
    func alternatives() -> [(cost: Double, rows: PlannedRows<Entity>)] {
        if let ranked = ranking() { return [(0, ranked)] }
        let scan = planned(.scan, covered: [], orderings: head.orderings)
        guard !table.indexDefinitions.isEmpty, head.wanted != 0 else { return [(0, scan)] }
        // Conditions are what candidates, and most of the time of planning, come from.
        let options = conditions.isEmpty ? [] : candidates(for: conditions)
        let estimate = PlanEstimate(
            rows: table.liveCount, selectivities: selectivities(options), head: head)
        var ways = [(cost: estimate.scanCost, rows: scan)]
        let pairs = options.count < 2 ? [] : intersections(options)
        for option in options + pairs {
            let rows = planned(
                .candidates(option), covered: option.covered, orderings: head.orderings)
            ways.append((estimate.cost(of: option), rows))
        }
        for walk in walks() {
            let rows = planned(.walk(walk), covered: walk.covered, orderings: [])
            ways.append((estimate.cost(of: walk), rows))
        }
        return ways
    }

    /// The order of a text condition alone comes from whoever computes the scores: they depend on
    /// all rows, so that no other way to find rows would save anything.
    private func ranking() -> PlannedRows<Entity>? {
        guard head.orderings.count == 1, case .rank(let condition) = head.orderings[0],
            let position = conditions.firstIndex(where: { $0.isRanked })
        else { return nil }
        return planned(.ranking(condition), covered: [position], orderings: [])
    }

    private func planned(
        _ source: PlannedRows<Entity>.Source, covered: Set<Int>,
        orderings: [QueryHead<Entity>.Ordering]
    ) -> PlannedRows<Entity> {
        var rest: [QueryPredicate<Entity>] = []
        for position in conditions.indices where !covered.contains(position) {
            rest.append(conditions[position])
        }
        return PlannedRows(
            source: source, residual: rest.isEmpty ? nil : .all(of: rest), orderings: orderings,
            page: head.page, next: head.next)
    }

    /// Which part of the rows each condition lets through: exactly, where an index answers it
    /// alone, else guessed from its kind.
    private func selectivities(_ options: [Candidates<Entity>]) -> [Double] {
        let rows = Double(max(1, table.liveCount))
        var parts: [Double] = []
        for position in conditions.indices {
            var least: Double?
            for option in options where option.used == [position] {
                least = min(least ?? .infinity, Double(option.count) / rows)
            }
            parts.append(min(1, least ?? conditions[position].guessedSelectivity))
        }
        return parts
    }

    /// Pairs of candidates for different conditions, where both together are fewer.
    private func intersections(_ options: [Candidates<Entity>]) -> [Candidates<Entity>] {
        let few = options.sorted { $0.count < $1.count }.prefix(4)
        var pairs: [Candidates<Entity>] = []
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

extension QueryPredicate {
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
        case .negation(let predicate): 1 - predicate.guessedSelectivity
        case .text: 0.1
        case .opaque: 0.5
        }
    }
}
