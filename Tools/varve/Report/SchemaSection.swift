import VarveInspection

/// The types as a drawing, and every field of them.
struct SchemaSection {
    let types: [InspectedType]

    var markup: Markup {
        let entities = types.filter { $0.tombstoneOf == nil }
        guard !entities.isEmpty else { return "<p class=\"empty\">No types are defined.</p>" }
        let details = entities.map { type -> Markup in
            let count =
                "\(Numerals.counted(type.fields.count, "field")), "
                + Numerals.counted(type.relations.count, "relation")
            return
                "<details><summary><bdi class=\"name\">\(type.name)</bdi> <span class=\"faint\">\(count)</span>"
                + "</summary>\(table(of: type))</details>"
        }
        return SchemaDrawing(types).markup + """
            <ul class="legend lines"><li><svg width="34" height="12"><path class="plain" d="M0 6H34"/>\
            </svg>nullify</li>\
            <li><svg width="34" height="12"><path class="cascade" d="M0 6H34"/></svg>cascade: deletes the related</li>\
            <li><svg width="34" height="12"><path class="deny" d="M0 6H34"/>\
            </svg>deny: refused while there are any</li>\
            <li><svg width="16" height="12"><path class="plain" d="M14 1L4 6L14 11M4 6H16"/></svg>many</li>\
            <li><svg width="16" height="12"><path class="plain" d="M8 1V11M0 6H16"/></svg>one, required</li>\
            <li><svg width="20" height="12"><path class="plain" d="M14 1V11M10 6H20"/>\
            <circle class="plain" cx="7" cy="6" r="3"/></svg>one or none</li></ul>
            """ + "<div class=\"types\">\(details.joined())</div>"
    }

    private func table(of type: InspectedType) -> Markup {
        let fields = type.fields.map { field -> Markup in
            let fill = field.fill.map { "default " + ValueText.text(of: $0) } ?? ""
            return """
                <td><bdi class="name">\(field.name)</bdi></td><td><code>\(field.type)</code></td>\
                <td class="faint"><bdi class="name">\(fill)</bdi></td>
                """
        }
        let relations = type.relations.map { relation -> Markup in
            """
            <td><bdi class="name">\(relation.name)</bdi></td><td><code>→ \(relation.targetText)</code></td>\
            <td class="faint">\(relation.remarks.joined(separator: ", "))</td>
            """
        }
        let id: Markup = "<td>id</td><td><code>\(type.idType)</code></td><td></td>"
        return ReportTable(
            [("Name", false), ("Type", false), ("", false)], [id] + fields + relations
        ).markup
    }
}
