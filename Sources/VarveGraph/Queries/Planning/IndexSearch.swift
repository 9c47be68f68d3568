/// Collects the bounds that conditions set to an index, one component behind the other.
struct IndexSearch {
    private let conditions: [RowCondition]
    /// What each of the fixed components may be equal to.
    private var values: [[QueryOperand]] = []
    /// Between which ends the next component may lie: one pair, or several behind ``addPrefix(at:)``.
    private var limits: [(lower: IndexBounds.Bound?, upper: IndexBounds.Bound?)] = []
    /// How many components take part.
    private(set) var componentCount = 0
    /// One range for each combination of values.
    private(set) var rangeCount = 1
    private(set) var used = ConditionSet()
    /// Those conditions that the ranges meet exactly.
    private(set) var exact = ConditionSet()

    /// More ranges than this are not worth looking up one by one.
    private static var rangeLimit: Int { 10_000 }

    init(_ conditions: [RowCondition]) { self.conditions = conditions }

    /// With what the conditions say of the components of an index; nil where that is nothing that it serves.
    func narrowed(to definition: IndexDefinition) -> IndexSearch? {
        guard definition.kind != .text else { return nil }
        var search = self
        for component in definition.components {
            guard search.addEquality(at: component.path.raw) else { break }
        }
        if search.depth < definition.components.count {
            guard definition.kind == .ordered else { return nil }
            let path = definition.components[search.depth].path.raw
            search.addRange(at: path)
            if search.componentCount == search.depth { search.addPrefix(at: path) }
        }
        return search.used.isEmpty ? nil : search
    }

    /// How many components are fixed.
    var depth: Int { values.count }

    /// Fixes the next component, if a condition says what it equals.
    mutating func addEquality(at path: AnyKeyPath) -> Bool {
        for position in 0..<min(conditions.count, ConditionSet.limit) {
            guard case .property(let given) = conditions[position].structure,
                given.relation == .equal || given.relation == .isIn,
                let property = given.onPath(path),
                property.operands.count * rangeCount <= IndexSearch.rangeLimit
            else { continue }
            values.append(property.operands)
            rangeCount *= property.operands.count
            componentCount = values.count
            note(position, isExact: property.isExactAsEquality)
            return true
        }
        return false
    }

    /// Limits the next component from below and above, as far as conditions do.
    mutating func addRange(at path: AnyKeyPath) {
        var first: (position: Int, property: PropertyCondition)?
        var last: (position: Int, property: PropertyCondition)?
        for position in 0..<min(conditions.count, ConditionSet.limit) {
            guard case .property(let property) = conditions[position].structure,
                property.relation.isBound, property.path.raw == path
            else { continue }
            if property.relation.isLowerBound { first = first ?? (position, property) }
            if property.relation.isUpperBound { last = last ?? (position, property) }
        }
        guard first != nil || last != nil else { return }
        componentCount = values.count + 1
        limits = [(first?.property.bound, last?.property.bound)]
        // NaN stands behind every bound from below.
        if let (position, property) = first {
            let isExact =
                property.trust == .total
                || property.isExactAsBound && last.map { $0.property.isExactAsBound } ?? false
            note(position, isExact: isExact)
        }
        if let (position, property) = last {
            note(position, isExact: property.isExactAsBound)
        }
    }

    /// Limits the next component to texts that may have a prefix, if a condition asks for one.
    mutating func addPrefix(at path: AnyKeyPath) {
        for position in 0..<min(conditions.count, ConditionSet.limit) {
            guard case .text(let text) = conditions[position].structure,
                let bounds = text.prefixBounds(at: path),
                bounds.count * rangeCount <= IndexSearch.rangeLimit
            else { continue }
            limits = bounds
            rangeCount *= bounds.count
            componentCount = values.count + 1
            return note(position, isExact: false)
        }
    }

    /// Calls `body` with the bounds of each range until it returns false. Returns whether it never
    /// did.
    func forEachBounds(_ body: (IndexBounds) -> Bool) -> Bool {
        // Nearly always there is one, and no array to make for it.
        if values.isEmpty { return forEachLimit(of: [], body) }
        if values.count == 1 && values[0].count == 1 { return forEachLimit(of: values[0], body) }
        var combinations: [[QueryOperand]] = [[]]
        for operands in values {
            combinations = combinations.flatMap { start in operands.map { start + [$0] } }
        }
        return combinations.allSatisfy { forEachLimit(of: $0, body) }
    }

    private func forEachLimit(
        of equal: [QueryOperand], _ body: (IndexBounds) -> Bool
    ) -> Bool {
        if limits.isEmpty { return body(IndexBounds(equal: equal)) }
        return limits.allSatisfy {
            body(IndexBounds(equal: equal, lower: $0.lower, upper: $0.upper))
        }
    }

    private mutating func note(_ position: Int, isExact: Bool) {
        used.insert(position)
        if isExact { exact.insert(position) }
    }
}

extension PropertyCondition {
    /// The condition as one on the path, if it is one.
    fileprivate func onPath(_ path: AnyKeyPath) -> PropertyCondition? {
        self.path.raw == path ? self : alternatives.first { $0.path.raw == path }
    }

    fileprivate var isExactAsEquality: Bool { trust == .total }

    /// Whether a range up to or from the operand accepts what the comparison accepts, as long as
    /// there is an upper end.
    fileprivate var isExactAsBound: Bool {
        trust == .total || trust == .totalButNaN && !operands[0].isNaN
    }

    fileprivate var bound: IndexBounds.Bound {
        IndexBounds.Bound(
            operand: operands[0],
            isInclusive: relation == .lessOrEqual || relation == .greaterOrEqual)
    }
}

extension PropertyCondition.Relation {
    fileprivate var isLowerBound: Bool { self == .greater || self == .greaterOrEqual }
    fileprivate var isUpperBound: Bool { self == .less || self == .lessOrEqual }
    fileprivate var isBound: Bool { isLowerBound || isUpperBound }
}
