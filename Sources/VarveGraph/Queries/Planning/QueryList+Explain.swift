extension QueryList {
    /// How the query would be run in the context. Runs nothing and changes nothing.
    ///
    /// It says that of a filled table, and fills the one of the entities: behind the opening of a large store a stored index
    /// may serve the query instead. A table that does not fit the memory budget is not filled: the plan says how its stored
    /// rows are read, for which it looks into stored indexes.
    public func explain(in context: Context) -> QueryPlan {
        plan(in: context).renamingProperties(StorageNames(in: context, of: Entity.self))
    }

    private func plan(in context: Context) -> QueryPlan {
        let words = plan.steps.map(\.words)
        guard case .all = source, let table = context.table(of: Entity.self) else {
            let access: QueryPlan.Access
            var count = 0
            switch source {
            case .all: access = .scan
            case .ids(let ids): (access, count) = (.ids, ids.count)
            case .related(let linked):
                (access, count) = (.relation, linked.count(in: context))
            }
            return QueryPlan(
                entity: Entity._descriptor.name, access: access, candidates: count, test: nil,
                order: .asFound, stopsEarly: false, steps: words)
        }
        let rows = plan.list.planned(whole: table)
        let head = QueryHead(of: plan.steps)
        return QueryPlan(
            entity: Entity._descriptor.name, access: rows.access(in: table),
            candidates: rows.candidateCount(in: table),
            test: rows.residual?.description, order: rows.order(head), stopsEarly: rows.stopsEarly,
            steps: rows.pageWords + words.dropFirst(rows.next))
    }
}

extension Query {
    /// How the query would be run in the context.
    public func explain(in context: Context) -> QueryPlan { list.explain(in: context) }
}

extension PlannedRows {
    func access(in table: AnyTable) -> QueryPlan.Access {
        switch source {
        case .scan: .scan
        case .storedScan: .storedScan
        case .listed(let rows): rows.access(in: table)
        case .candidates(let candidates): candidates.access(in: table)
        case .ranking(let condition):
            .ranking(
                table.textRankingIndexName(for: condition).map { condition.index(named: $0) })
        case .walk(let walk):
            .walk(
                QueryPlan.Index(
                    name: walk.definition.name, kind: "ordered", properties: walk.properties),
                backwards: walk.isDescending)
        }
    }

    func candidateCount(in table: AnyTable) -> Int {
        switch source {
        case .scan, .storedScan: table.liveCount
        case .listed(let rows): rows.slots.count
        case .ranking(let condition):
            table.textCandidateCount(for: condition) ?? table.liveCount
        case .candidates(let candidates): candidates.count
        case .walk(let walk): walk.range.count
        }
    }

    func order(_ head: QueryHead) -> QueryPlan.Order {
        guard !orderings.isEmpty else {
            switch source {
            case .candidates, .listed: return .restored
            case .scan, .storedScan, .ranking, .walk: return .asFound
            }
        }
        let words = orderings.reversed().map(\.description).joined(separator: ", then ")
        return head.wanted.map { .selected(by: words, count: $0) } ?? .sorted(by: words)
    }

    var stopsEarly: Bool {
        switch page {
        case .all: false
        case .limit, .last: orderings.isEmpty
        }
    }

    var pageWords: [String] {
        switch page {
        case .all: []
        case .limit(let limit, let offset): [PlannedRows.limitWords(limit, offset)]
        case .last: ["the last one"]
        }
    }
}

extension QueryHead.Ordering {
    var description: String {
        switch self {
        case .properties(let comparator): comparator.description
        case .rank(let condition): "rank of \(condition.description)"
        }
    }
}

extension Candidates {
    func access(in table: AnyTable) -> QueryPlan.Access {
        switch shape {
        case .text(let condition):
            .index(
                condition.index(named: table.textIndexName(for: condition) ?? ""), ranges: 1)
        case .ranges(let ranges):
            .index(
                QueryPlan.Index(
                    name: ranges.definition.name, kind: "\(ranges.definition.kind)",
                    properties: ranges.properties),
                ranges: ranges.ranges.count)
        case .union(let branches): .union(branches.map { $0.access(in: table) })
        case .intersection(let first, let second):
            .intersection(first.access(in: table), second.access(in: table))
        }
    }
}

extension PlannedRows {
    fileprivate static func limitWords(_ limit: Int, _ offset: Int) -> String {
        offset == 0 ? "limit \(limit)" : "limit \(limit), offset \(offset)"
    }
}

extension RowStep {
    var words: String {
        switch self {
        case .filter(let condition): "filter \(condition.description)"
        case .sort(let comparator): "sort by \(comparator.description)"
        case .limit(let limit, let offset): PlannedRows.limitWords(limit, offset)
        case .last: "the last one"
        case .distinct: "each once"
        case .union: "add the rows of another query"
        case .intersection: "keep the rows of another query"
        case .transform(let transform): transform.name
        }
    }
}

extension TextCondition {
    func index(named name: String) -> QueryPlan.Index {
        QueryPlan.Index(
            name: name, kind: "text", properties: paths.map { SendablePath($0).propertyName })
    }
}
