/// A table that scrolls inside the page where it is too wide.
struct ReportTable {
    /// A title, and whether its cells are numbers.
    let columns: [(title: String, isNumber: Bool)]
    /// Whole rows: `<td>` elements.
    let rows: [Markup]

    init(_ columns: [(String, Bool)], _ rows: [Markup]) {
        self.columns = columns.map { (title: $0.0, isNumber: $0.1) }
        self.rows = rows
    }

    var markup: Markup {
        let titles = columns.map { column -> Markup in
            "<th scope=\"col\"\(column.isNumber ? Markup(stringLiteral: " class=\"n\"") : "")>\(column.title)</th>"
        }.joined()
        return "<div class=\"scroll\"><table><thead><tr>\(titles)</tr></thead><tbody>"
            + rows.map { "<tr>\($0)</tr>" as Markup }.joined() + "</tbody></table></div>"
    }
}
