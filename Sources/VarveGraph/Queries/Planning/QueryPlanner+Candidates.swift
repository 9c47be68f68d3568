// Which rows indexes can name for conditions.

extension QueryPlanner {
    /// What each index, and each condition with branches, offers for a conjunction.
    func candidates(for conditions: [QueryPredicate<Entity>]) -> [Candidates<Entity>] {
        var options: [Candidates<Entity>] = []
        let search = IndexSearch(conditions)
        if search.hasConditions {
            for index in table.indexDefinitions.indices {
                if let ranges = ranges(of: index, search) { options.append(ranges) }
            }
        }
        for position in conditions.indices {
            let condition = conditions[position]
            if let union = union(for: condition, at: position) { options.append(union) }
            if let text = text(for: condition, at: position) { options.append(text) }
        }
        return options
    }

    /// Candidates for each branch of a disjunction, if indexes serve every one of them.
    private func union(for condition: QueryPredicate<Entity>, at position: Int) -> Candidates<
        Entity
    >? {
        guard case .disjunction = condition.structure else { return nil }
        var parts: [Candidates<Entity>] = []
        var isExact = true
        for branch in condition.branches {
            let conjuncts = branch.conjuncts
            let options = candidates(for: conjuncts)
            guard let best = options.min(by: { $0.count < $1.count }) else { return nil }
            if best.covered.count < conjuncts.count { isExact = false }
            parts.append(best)
        }
        return Candidates(
            shape: .union(parts), count: parts.reduce(0) { $0 + $1.count },
            covered: isExact ? [position] : [], used: [position])
    }

    /// What a text index names for a condition on text. Each row is tested again, unless the index
    /// holds the very texts and words decide.
    private func text(
        for condition: QueryPredicate<Entity>, at position: Int
    ) -> Candidates<Entity>? {
        guard case .text(let text) = condition.structure,
            let count = table.textCandidateCount(for: text)
        else { return nil }
        let isExact = text.isRanked && table.textRankingIndexName(for: text) != nil
        return Candidates(
            shape: .text(text), count: count, covered: isExact ? [position] : [],
            used: [position])
    }

    /// The ranges of one index that hold what meets some of the conditions.
    private func ranges(
        of index: Int, _ search: IndexSearch
    ) -> Candidates<Entity>? {
        let definition = table.indexDefinitions[index]
        guard definition.kind != .text else { return nil }
        var search = search
        for component in definition.components {
            guard search.addEquality(at: component.path.raw) else { break }
        }
        if search.depth < definition.components.count {
            guard definition.kind == .ordered else { return nil }
            search.addRange(at: definition.components[search.depth].path.raw)
        }
        guard !search.used.isEmpty else { return nil }
        var ranges: [PostingRange] = []
        for bounds in search.bounds {
            guard let range = table.postings(of: index, in: bounds) else { return nil }
            if range.count > 0 { ranges.append(range) }
        }
        let found = IndexRanges(
            index: index, name: definition.name, kind: definition.kind,
            paths: search.paths, ranges: ranges)
        return Candidates(
            shape: .ranges(found), count: found.count,
            covered: definition.kind == .ordered ? search.exact : [], used: search.used)
    }
}

/// Collects the bounds that conditions set to an index, one component behind the other.
///
/// It does not know the entity's type: code that does is compiled for all of them at once, and looks
/// up at run time what it needs of the type, for microseconds a query.
struct IndexSearch {
    /// By the position of the condition; nil where an index serves none of its kind.
    private let conditions: [PropertyCondition?]
    /// One range for each combination of values.
    private(set) var bounds = [IndexBounds()]
    /// How many components are fixed.
    private(set) var depth = 0
    private(set) var used: Set<Int> = []
    /// Those conditions that the ranges meet exactly.
    private(set) var exact: Set<Int> = []
    private(set) var paths: [SendablePath] = []

    /// More ranges than this are not worth looking up one by one.
    private static var rangeLimit: Int { 10_000 }

    init<Entity>(_ conditions: [QueryPredicate<Entity>]) {
        var properties: [PropertyCondition?] = []
        properties.reserveCapacity(conditions.count)
        for condition in conditions {
            if case .property(let property) = condition.structure {
                properties.append(property)
            } else {
                properties.append(nil)
            }
        }
        self.conditions = properties
    }

    /// Whether an index may serve any of the conditions.
    var hasConditions: Bool { conditions.contains { $0 != nil } }

    /// Fixes the next component, if a condition says what it equals.
    mutating func addEquality(at path: AnyKeyPath) -> Bool {
        for (position, condition) in conditions.enumerated() {
            guard let given = condition,
                given.relation == .equal || given.relation == .isIn,
                let property = given.onPath(path),
                property.operands.count * bounds.count <= IndexSearch.rangeLimit
            else { continue }
            bounds = bounds.flatMap { bounds in
                property.operands.map { operand in
                    var bounds = bounds
                    bounds.equal.append(operand)
                    return bounds
                }
            }
            depth += 1
            note(property, at: position, isExact: property.isExactAsEquality)
            return true
        }
        return false
    }

    /// Limits the next component from below and above, as far as conditions do.
    mutating func addRange(at path: AnyKeyPath) {
        var lower: (position: Int, property: PropertyCondition)?
        var upper: (position: Int, property: PropertyCondition)?
        for (position, condition) in conditions.enumerated() {
            guard let property = condition, property.path.raw == path else { continue }
            if property.relation.isLowerBound { lower = lower ?? (position, property) }
            if property.relation.isUpperBound { upper = upper ?? (position, property) }
        }
        for index in bounds.indices {
            bounds[index].lower = lower?.property.bound
            bounds[index].upper = upper?.property.bound
        }
        // NaN stands behind every bound from below.
        if let (position, property) = lower {
            let isExact =
                property.trust == .total
                || property.isExactAsBound && upper.map { $0.property.isExactAsBound } ?? false
            note(property, at: position, isExact: isExact)
        }
        if let (position, property) = upper {
            note(property, at: position, isExact: property.isExactAsBound)
        }
    }

    private mutating func note(_ property: PropertyCondition, at position: Int, isExact: Bool) {
        used.insert(position)
        if isExact { exact.insert(position) }
        if paths.last?.raw != property.path.raw { paths.append(property.path) }
    }
}

extension PropertyCondition {
    /// The condition as one on the path, if it is one.
    func onPath(_ path: AnyKeyPath) -> PropertyCondition? {
        self.path.raw == path ? self : alternatives.first { $0.path.raw == path }
    }

    var isExactAsEquality: Bool { trust == .total }

    /// Whether a range up to or from the operand accepts what the comparison accepts, as long as
    /// there is an upper end.
    var isExactAsBound: Bool {
        trust == .total || trust == .totalButNaN && !operands[0].isNaN
    }

    var bound: IndexBounds.Bound {
        IndexBounds.Bound(
            operand: operands[0],
            isInclusive: relation == .lessOrEqual || relation == .greaterOrEqual)
    }
}

extension PropertyCondition.Relation {
    var isLowerBound: Bool { self == .greater || self == .greaterOrEqual }
    var isUpperBound: Bool { self == .less || self == .lessOrEqual }
}
