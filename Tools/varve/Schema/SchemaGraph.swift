import VarveInspection

/// The types of a store and how they are related: what the drawings of a schema show.
struct SchemaGraph {
    /// A relation with the one that mirrors it, if there is one.
    struct Edge: Hashable {
        /// Positions in ``types``.
        let from: Int
        let to: Int
        let relation: InspectedType.Relation
        let inverse: InspectedType.Relation?
        /// Whether the relation leads to deleted entities of the type.
        let leadsToDeleted: Bool
    }

    /// Types with entities of their own, in order of their numbers.
    let types: [InspectedType]
    let edges: [Edge]

    init(_ types: [InspectedType]) {
        self.types = types.filter { $0.tombstoneOf == nil }
        let entities = self.types
        func position(of name: String) -> (index: Int, isDeleted: Bool)? {
            if let index = entities.firstIndex(where: { $0.name == name }) { return (index, false) }
            let base = types.first { $0.name == name }?.tombstoneOf
            return base.flatMap { base in
                entities.firstIndex { $0.name == base }.map { ($0, true) }
            }
        }
        var edges: [Edge] = []
        // Each pair of mirrored relations once, from the side that comes first.
        var drawn: Set<[String]> = []
        for (from, type) in entities.enumerated() {
            for relation in type.relations {
                guard let to = position(of: relation.target),
                    !drawn.contains([type.name, relation.name])
                else { continue }
                let inverse = relation.inverse.flatMap { name in
                    to.isDeleted ? nil : entities[to.index].relations.first { $0.name == name }
                }
                if let inverse { drawn.insert([entities[to.index].name, inverse.name]) }
                edges.append(
                    Edge(
                        from: from, to: to.index, relation: relation, inverse: inverse,
                        leadsToDeleted: to.isDeleted))
            }
        }
        self.edges = edges
    }
}

extension InspectedType.Relation {
    /// `[Chat]`, `User`.
    var targetText: String { isToMany ? "[\(target)]" : target }

    /// What there is to say behind the target: `inverse users, cascade`.
    var remarks: [String] {
        [
            isRequired ? "required" : nil, inverse.map { "inverse \($0)" },
            deleteRule == .nullify ? nil : deleteRule.rawValue,
        ].compactMap { $0 }
    }
}
