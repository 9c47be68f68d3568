internal import VarveEvents
internal import VarveGraph

/// The relations that have another side by the app's types and had none, or another one, when the
/// log was written: their links may be known on one side only.
struct NewInverses: Sendable {
    private let relations: [(table: Int, relation: Int)]

    /// - Parameter catalog: what the log says of the types.
    init(in context: Context, catalog: Catalog) {
        var found: [(table: Int, relation: Int)] = []
        for (position, table) in context.tables.tables.enumerated() {
            guard let known = catalog.definition(named: table.descriptor.name) else { continue }
            for (index, resolved) in table.relations.enumerated() {
                guard let inverse = resolved.inverse,
                    let relation = known.relation(named: table.descriptor.relations[index].name)
                else { continue }
                let child = context.tables.tables[resolved.childTable].descriptor
                let former = relation.inverse.flatMap { number in
                    catalog.definition(named: child.name)?.relations
                        .first { $0.number == number }
                }
                if former?.name != child.relations[inverse].name {
                    found.append((position, index))
                }
            }
        }
        relations = found
    }

    /// Whether any link is known on one side only.
    func isNeeded(in context: Context) -> Bool {
        relations.contains { context.hasOneSidedLinks(relation: $0.relation, table: $0.table) }
    }

    /// Tells the other sides.
    func complete(_ context: inout Context) {
        for relation in relations {
            context.completeLinks(relation: relation.relation, table: relation.table)
        }
    }
}
