extension RowCondition {
    @usableFromInline
    static func && (first: Self, second: Self) -> Self { joined(first, second, by: .and) }

    @usableFromInline
    static func || (first: Self, second: Self) -> Self { joined(first, second, by: .or) }

    @usableFromInline
    static prefix func ! (condition: Self) -> Self {
        let test = condition.matches
        return RowCondition(condition.negatedStructure) { !test($0) }
    }

    /// All of the conditions hold; always true without any.
    @usableFromInline
    static func all(of conditions: [Self]) -> Self {
        switch conditions.count {
        case 1: return conditions[0]
        case 2: return conditions[0] && conditions[1]
        default:
            let tests = conditions.map(\.matches)
            return RowCondition(.conjunction(conditions)) { row in
                for test in tests where !test(row) { return false }
                return true
            }
        }
    }

    /// The structure of what holds exactly where this does not.
    @usableFromInline var negatedStructure: PredicateStructure {
        switch structure {
        case .property(let condition):
            condition.opposite.map { .property($0) } ?? .negation(self)
        case .disjunction(let branches): .conjunction(branches.map { !$0 })
        case .conjunction(let parts): .disjunction(parts.map { !$0 })
        // Behind `!` a ranked condition is a mere test, behind a second one as well.
        case .negation(let condition) where condition.rankings.isEmpty: condition.structure
        case .negation: .negation(self)
        case .text, .opaque: .negation(self)
        }
    }

    /// The conditions all of which must hold, those of nested conjunctions among them.
    var conjuncts: [Self] {
        var all: [Self] = []
        addConjuncts(to: &all)
        return all
    }

    @usableFromInline
    func addConjuncts(to all: inout [Self]) {
        guard case .conjunction(let parts) = structure else { return all.append(self) }
        for part in parts { part.addConjuncts(to: &all) }
    }

    /// The conditions one of which must hold, those of nested disjunctions among them.
    var branches: [Self] {
        var all: [Self] = []
        addBranches(to: &all)
        return all
    }

    fileprivate func addBranches(to all: inout [Self]) {
        guard case .disjunction(let parts) = structure else { return all.append(self) }
        for part in parts { part.addBranches(to: &all) }
    }
}

extension RowCondition {
    /// The condition in words, as a plan shows it.
    var description: String { structure.description }
}

extension PredicateStructure {
    var description: String {
        switch self {
        case .property(let condition): condition.description
        case .text(let condition): condition.description
        case .conjunction(let parts):
            parts.map(\.structure.factor).joined(separator: " && ")
        case .disjunction(let branches):
            branches.flatMap(\.branches).map(\.description).joined(separator: " || ")
        case .negation(let condition): "!(\(condition.description))"
        case .opaque(let words): words
        }
    }

    /// The words, in parentheses where `&&` would bind stronger than what they say.
    private var factor: String {
        if case .disjunction = self { return "(\(description))" }
        return description
    }
}
