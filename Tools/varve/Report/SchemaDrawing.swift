import VarveInspection
import VarveText

/// The types of a store as a drawing: a box for each with its fields and relations, and a line for each pair of
/// relations that mirror one another.
struct SchemaDrawing {
    private static let (rowHeight, headHeight, letter, padding) = (17.0, 26.0, 6.65, 10.0)
    private static let columnsMax = 46

    private struct Row {
        let name: String
        let type: String
        let relation: InspectedType.Relation?
    }

    private let graph: SchemaGraph
    private let rows: [[Row]]
    private let hidden: [Int]
    private let sizes: [SchemaLayout.Size]
    private let layout: SchemaLayout

    init(_ types: [InspectedType]) {
        graph = SchemaGraph(types)
        // Many types are read as a map, few as a list.
        let fieldsMax = graph.types.count > 24 ? 3 : graph.types.count > 12 ? 6 : 14
        let all = graph.types.map { Self.rows(of: $0, fieldsMax: fieldsMax) }
        rows = all.map(\.rows)
        hidden = all.map(\.hidden)
        sizes = zip(graph.types, all).map { type, all in
            let lines = all.rows.map { Self.width($0.name) + Self.width($0.type) + 3 }
            let columns = max(
                lines.max() ?? 0, Self.width(type.name) + Self.width(type.idType) + 6, 12)
            return SchemaLayout.Size(
                width: Double(columns) * Self.letter + Self.padding * 2,
                height: Self.headHeight
                    + Double(all.rows.count + (all.hidden > 0 ? 1 : 0)) * Self.rowHeight + 6)
        }
        layout = SchemaLayout(graph, sizes: sizes)
    }

    private static func rows(of type: InspectedType, fieldsMax: Int) -> (rows: [Row], hidden: Int) {
        let shown = type.fields.count <= fieldsMax + 1 ? type.fields.count : fieldsMax
        let fields = type.fields.prefix(shown).map {
            Row(name: $0.name, type: $0.type, relation: nil)
        }
        let relations = type.relations.map { Row(name: $0.name, type: $0.targetText, relation: $0) }
        return (fields + relations, type.fields.count - shown)
    }

    private static func width(_ text: String) -> Int {
        min(DisplayWidth.columns(of: text.escapedForDisplay), columnsMax / 2)
    }

    private static func cut(_ text: String) -> String {
        StyledText(text).shortened(to: columnsMax / 2).rendered(withColors: false)
    }

    var markup: Markup {
        let (width, height) = (layout.size.width, layout.size.height)
        let lines = graph.edges.map(line).joined()
        let boxes = graph.types.indices.map(box).joined()
        return """
            <div class="scroll drawing\(width > 860 ? " wide" : "")" tabindex="0"><svg role="img" aria-label="The types and their relations" \
            viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)">
            <defs>\(Self.markers)</defs>\(lines)\(boxes)</svg></div>
            """
    }

    /// The ends of lines, by how many there may be.
    private static let markers: Markup = """
        <marker id="many" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="12" markerHeight="12" \
        markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M11 1 L1 6 L11 11 M1 6 H11"/></marker>\
        <marker id="one" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="12" markerHeight="12" \
        markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M6 1 V11 M0 6 H11"/></marker>\
        <marker id="none-or-one" viewBox="0 0 16 12" refX="15" refY="6" markerWidth="16" markerHeight="12" \
        markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M11 1 V11 M7 6 H15"/>\
        <circle cx="4" cy="6" r="3"/></marker>
        """

    // MARK: Boxes

    private func box(_ position: Int) -> Markup {
        let (type, place, size) = (graph.types[position], layout.boxes[position], sizes[position])
        var y = Self.headHeight + 12
        var body = Markup()
        for row in rows[position] {
            let (name, target) = (Self.cut(row.name), Self.cut(row.type))
            let kind = row.relation == nil ? "field" : "relation"
            body += """
                <text class="\(kind)" x="\(Self.padding)" y="\(y)">\(name)</text><text class="\(kind) of" \
                x="\(size.width - Self.padding)" y="\(y)">\(target)</text>
                """
            y += Self.rowHeight
        }
        if hidden[position] > 0 {
            let text = "and " + Numerals.counted(hidden[position], "more field")
            body += "<text class=\"more\" x=\"\(Self.padding)\" y=\"\(y)\">\(text)</text>"
        }
        return """
            <g class="box" transform="translate(\(place.x) \(place.y))"><title>\(type.name)</title>\
            <rect width="\(size.width)" height="\(size.height)" rx="5"/>\
            <path class="head" d="M0 \(Self.headHeight) V5 Q0 0 5 0 H\(size.width - 5) Q\(size.width) 0 \
            \(size.width) 5 V\(Self.headHeight) Z"/>\
            <text class="title" x="\(Self.padding)" y="17.5">\(Self.cut(type.name))</text><text class="field of" \
            x="\(size.width - Self.padding)" y="17.5">\(Self.cut(type.idType))</text>\(body)</g>
            """
    }

    // MARK: Lines

    private struct End {
        let x: Double
        let y: Double
        /// 1 to the right of the box, -1 to the left.
        let side: Double
    }

    private func line(_ edge: SchemaGraph.Edge) -> Markup {
        var (from, to) = ends(of: edge)
        if edge.from == edge.to, edge.inverse == nil {
            // Back to its own row: a line to the head of the box would pass all others.
            (from, to) = (
                End(x: from.x, y: from.y + 4, side: from.side),
                End(x: from.x, y: from.y - 4, side: from.side)
            )
        }
        let distance = max(abs(to.x - from.x) / 2, 30)
        let bend = from.side == to.side ? 30 + abs(to.y - from.y) / 14 : distance
        let path: Markup = """
            M\(from.x) \(from.y) C\(from.x + from.side * bend) \(from.y) \(to.x + to.side * bend) \(to.y) \
            \(to.x) \(to.y)
            """
        let rules = [edge.relation, edge.inverse].compactMap { $0?.deleteRule }
        let rule = rules.contains(.cascade) ? " cascade" : rules.contains(.deny) ? " deny" : ""
        let start: Markup =
            edge.inverse.map { "marker-start=\"url(#\(Self.marker($0)))\"" } ?? Markup()
        let deleted = edge.leadsToDeleted ? " deleted" : ""
        return """
            <g class="line\(rule)\(deleted)"><title>\(text(of: edge))</title><path d="\(path)" \(start) \
            marker-end="url(#\(Self.marker(edge.relation)))"/></g>
            """
    }

    private static func marker(_ relation: InspectedType.Relation) -> String {
        relation.isToMany ? "many" : relation.isRequired ? "one" : "none-or-one"
    }

    /// From the row of the relation to that of its inverse, or to the head of the box.
    private func ends(of edge: SchemaGraph.Edge) -> (End, End) {
        let (from, to) = (layout.boxes[edge.from], layout.boxes[edge.to])
        let isRight = (from.column ?? 0) < (to.column ?? 0)
        let isSame = from.column == to.column
        let fromSide = isSame || isRight ? 1.0 : -1.0
        let toSide = isSame ? 1.0 : -fromSide
        func end(_ position: Int, _ relation: InspectedType.Relation?, _ side: Double) -> End {
            let box = layout.boxes[position]
            let row = relation.flatMap { relation in
                rows[position].firstIndex { $0.relation?.number == relation.number }
            }
            let y =
                row.map { Self.headHeight + Double($0) * Self.rowHeight + 8 } ?? Self.headHeight / 2
            return End(x: box.x + (side > 0 ? sizes[position].width : 0), y: box.y + y, side: side)
        }
        return (end(edge.from, edge.relation, fromSide), end(edge.to, edge.inverse, toSide))
    }

    private func text(of edge: SchemaGraph.Edge) -> String {
        let (from, to) = (graph.types[edge.from].name, graph.types[edge.to].name)
        let sides = [
            "\(from).\(edge.relation.name) → \(edge.relation.targetText)",
            edge.inverse.map { "\(to).\($0.name) → \($0.targetText)" },
        ]
        let rules = [
            edge.relation.deleteRule == .nullify
                ? nil : "deleting \(from): \(edge.relation.deleteRule.rawValue)",
            edge.inverse.flatMap {
                $0.deleteRule == .nullify ? nil : "deleting \(to): \($0.deleteRule.rawValue)"
            },
        ]
        return (sides + rules).compactMap { $0 }.joined(separator: "; ")
    }
}
