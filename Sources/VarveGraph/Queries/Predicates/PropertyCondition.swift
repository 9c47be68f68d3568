/// A comparison of one property with values: the kind of condition that an index can serve.
///
/// A class, because plans pass it on from hand to hand: one reference to count instead of three.
@usableFromInline
final class PropertyCondition: Sendable {
    @usableFromInline
    enum Relation: Sendable {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
        /// Equal to one of the operands, all of which are different.
        case isIn
    }

    @usableFromInline let path: SendablePath
    @usableFromInline let relation: Relation
    /// One, or any number for `isIn`.
    @usableFromInline let operands: [QueryOperand]
    @usableFromInline let trust: OrderTrust
    /// This condition on other paths, by which an index may name the property: an optional
    /// one is ordered by its `nilFirst`.
    @usableFromInline let alternatives: [PropertyCondition]

    @usableFromInline
    init(
        _ path: AnyKeyPath, _ relation: Relation, _ operands: [QueryOperand], trust: OrderTrust,
        alternatives: [PropertyCondition] = []
    ) {
        self.alternatives = alternatives
        self.path = SendablePath(path)
        self.relation = relation
        self.operands = operands
        self.trust = trust
    }

    /// The condition that holds exactly where this one does not, if one comparison says so.
    var opposite: PropertyCondition? {
        let relation: Relation
        switch self.relation {
        case .equal: relation = .notEqual
        case .notEqual: relation = .equal
        case .less: relation = .greaterOrEqual
        case .lessOrEqual: relation = .greater
        case .greater: relation = .lessOrEqual
        case .greaterOrEqual: relation = .less
        case .isIn: return nil
        }
        let isEquality = relation == .equal || relation == .notEqual
        guard isEquality || trust == .total else { return nil }
        return PropertyCondition(path.raw, relation, operands, trust: trust)
    }
}

extension PropertyCondition: CustomStringConvertible {
    @usableFromInline var description: String {
        let name = path.propertyName
        let operand = operands.first?.description ?? ""
        switch relation {
        case .equal: return "\(name) == \(operand)"
        case .notEqual: return "\(name) != \(operand)"
        case .less: return "\(name) < \(operand)"
        case .lessOrEqual: return "\(name) <= \(operand)"
        case .greater: return "\(name) > \(operand)"
        case .greaterOrEqual: return "\(name) >= \(operand)"
        case .isIn:
            let shown = operands.prefix(3).map(\.description).joined(separator: ", ")
            return operands.count > 3
                ? "\(name) in [\(shown), … \(operands.count) values]" : "\(name) in [\(shown)]"
        }
    }
}
