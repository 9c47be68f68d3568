internal import VarveEvents
internal import VarveGraph

/// The relations that have another side by the app's types and had none, or another one, when the
/// log was written: their links may be known on one side only.
struct NewInverses: Sendable {
    private struct Relation: Sendable {
        let table: Int
        let relation: Int
        /// Whether the log knows the other side as one of this relation, which an older app has changed without knowing
        /// that side: what only that side lists is out of date.
        let isLeading: Bool
    }

    private let relations: [Relation]

    /// - Parameters:
    ///   - catalog: what the log says of the types.
    ///   - transaction: the one behind which the state lies; nil for the newest.
    init(in context: Context, catalog: Catalog, behind transaction: TransactionID? = nil) {
        func logged(_ table: AnyTable) -> TypeDefinition? {
            catalog.definition(named: table.descriptor.name).flatMap { newest in
                transaction.map { catalog.definition(of: newest.number, after: $0) } ?? newest
            }
        }
        var found: [Relation] = []
        for (position, table) in context.tables.tables.unfilled.enumerated() {
            guard let known = logged(table) else { continue }
            for (index, resolved) in table.relations.enumerated() {
                guard let inverse = resolved.inverse,
                    let relation = known.relation(named: table.descriptor.relations[index].name)
                else { continue }
                let child = context.tables.tables.unfilled[resolved.childTable]
                let other = logged(child)?.relation(
                    named: child.descriptor.relations[inverse].name)
                guard other == nil || relation.inverse != other?.number else { continue }
                found.append(
                    Relation(
                        table: position, relation: index,
                        isLeading: other?.inverse == relation.number))
            }
        }
        relations = found
    }

    /// Whether any link is known on one side only.
    func isNeeded(in context: Context) -> Bool {
        relations.contains {
            context.hasOneSidedLinks(
                relation: $0.relation, table: $0.table, isLeading: $0.isLeading)
        }
    }

    /// Makes both sides list the links.
    func complete(_ context: inout Context) {
        for relation in relations {
            context.completeLinks(
                relation: relation.relation, table: relation.table, isLeading: relation.isLeading)
        }
    }
}
