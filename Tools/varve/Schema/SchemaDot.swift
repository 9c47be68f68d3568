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

    /// A table of fields, then relations, each of which is a port for its line.
    private func node(_ type: InspectedType) -> String {
        let fields = ([("id", type.idType)] + type.fields.map { ($0.name, $0.type) }).map {
            name, type in
            "<tr><td align=\"left\">\(text(name))</td>"
                + "<td align=\"left\"><font color=\"#57606a\">\(text(type))</font></td></tr>"
        }
        let relations = type.relations.map { relation in
            "<tr><td align=\"left\" colspan=\"2\" port=\"r\(relation.number)\"><font color=\"#2b5c8a\">"
                + "\(text(relation.name)) → \(text(relation.targetText))</font></td></tr>"
        }
        return
            "  t\(type.number) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\""
            + " color=\"#b7bec5\"><tr><td colspan=\"2\" bgcolor=\"#eaeef2\" port=\"head\"><b>\(text(type.name))</b>"
            + "</td></tr>\((fields + relations).joined())</table>>];"
    }

    /// A crow's foot where there may be many; a bold line where deleting one end deletes the other.
    private func edge(_ edge: SchemaGraph.Edge, in graph: SchemaGraph) -> String {
        let rules = [edge.relation, edge.inverse].compactMap { $0?.deleteRule }
        var attributes = ["dir=both", "arrowhead=\(head(of: edge.relation))"]
        attributes.append("arrowtail=" + (edge.inverse.map { head(of: $0) } ?? "none"))
        if rules.contains(.cascade) { attributes.append("penwidth=2") }
        let style = edge.leadsToDeleted ? "dotted" : rules.contains(.deny) ? "dashed" : nil
        if let style { attributes.append("style=\(style)") }
        if let rule = rules.first(where: { $0 != .nullify }) {
            attributes.append("label=\"\(rule.rawValue)\"")
        }
        let from = "t\(graph.types[edge.from].number):r\(edge.relation.number):e"
        let port = edge.inverse.map { "r\($0.number)" } ?? "head"
        let to = "t\(graph.types[edge.to].number):\(port):\(edge.from == edge.to ? "e" : "w")"
        return "  \(from) -> \(to) [\(attributes.joined(separator: ", "))];"
    }

    private func head(of relation: InspectedType.Relation) -> String {
        relation.isToMany ? "crow" : relation.isRequired ? "tee" : "teeodot"
    }

    private func text(_ text: String) -> String { Markup.escaped(text) }
}
