import VarveInspection

/// A schema in the language of Graphviz.
struct SchemaDot {
    let schema: InspectedSchema

    var lines: [String] {
        let graph = SchemaGraph(schema.types)
        return [
            "digraph schema {",
            "  graph [rankdir=LR, nodesep=0.35, ranksep=1.1, fontname=\"Helvetica\"];",
            "  node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
            "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#57606a\", fontcolor=\"#57606a\"];",
        ] + graph.types.map(node) + graph.edges.map { edge($0, in: graph) } + ["}"]
    }

    private func node(_ type: InspectedType) -> String {
        let fields = ([("id", type.idType)] + type.fields.map { ($0.name, $0.type) }).map {
            name, type in
            "<tr><td align=\"left\">\(text(name))</td><td align=\"left\"><font color=\"#57606a\">"
                + "\(text(type))</font></td></tr>"
        }
        return
            "  t\(type.number) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
            + "<tr><td colspan=\"2\" bgcolor=\"#eaeef2\"><b>\(text(type.name))</b></td></tr>"
            + fields.joined() + "</table>>];"
    }

    /// A crow's foot where there may be many; a bold line where deleting one end deletes the other.
    private func edge(_ edge: SchemaGraph.Edge, in graph: SchemaGraph) -> String {
        let rules = [edge.relation, edge.inverse].compactMap { $0?.deleteRule }
        var attributes = [
            "dir=both", "headlabel=<\(text(edge.relation.name))>",
            "arrowhead=\(head(of: edge.relation))",
        ]
        if let inverse = edge.inverse {
            attributes += ["taillabel=<\(text(inverse.name))>", "arrowtail=\(head(of: inverse))"]
        } else {
            attributes.append("arrowtail=none")
        }
        if rules.contains(.cascade) { attributes.append("penwidth=2") }
        if rules.contains(.deny) { attributes.append("style=dashed") }
        if edge.leadsToDeleted { attributes.append("style=dotted") }
        let rule = rules.first { $0 != .nullify }
        if let rule { attributes.append("label=\"\(rule.rawValue)\"") }
        let ends = "t\(graph.types[edge.from].number) -> t\(graph.types[edge.to].number)"
        return "  \(ends) [\(attributes.joined(separator: ", "))];"
    }

    private func head(of relation: InspectedType.Relation) -> String {
        relation.isToMany ? "crow" : relation.isRequired ? "tee" : "teeodot"
    }

    private func text(_ text: String) -> String { Markup.escaped(text) }
}
