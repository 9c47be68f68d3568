import VarveInspection

/// An index of labels that can be searched.
struct LabelsSection {
    private static let labelsMax = 1_000
    /// How many of them a printed page has, where they cannot be searched.
    static let printedMax = 100

    let labels: NameStatistics

    var markup: Markup {
        let named = labels.entries.filter { $0.name != nil }
        guard !named.isEmpty else { return "<p class=\"empty\">No transaction has a label.</p>" }
        let shown = named.sorted {
            LabelOrder.isBefore($0.name ?? "", $1.name ?? "")
        }.prefix(Self.labelsMax)
        let rows = shown.map { entry -> Markup in
            """
            <td>\(ReportText.name(entry.name, none: ""))</td>\(ReportText.count(entry.amount.transactions))\
            \(ReportText.bytes(entry.amount.stored))<td class="n">\(entry.first.id.rawValue)</td>\
            <td class="n">\(entry.last.id.rawValue)</td><td>\(ReportText.time(entry.last.time))</td>
            """
        }
        let table = ReportTable(
            [
                ("Label", false), ("Transactions", true), ("In the log", true), ("First", true),
                ("Last", true),
                ("Last written", false),
            ], rows)
        let more = named.count - shown.count
        let rest: Markup =
            more > 0 || labels.others.transactions > 0
            ? "<p class=\"faint\">There are more labels than are listed here; <code>varve log</code> has all.</p>"
            : Markup()
        let paper: Markup =
            shown.count > Self.printedMax
            ? "<p class=\"paper\">The first \(Self.printedMax) labels of \(Numerals.counted(shown.count, "label")).</p>"
            : Markup()
        return """
            <p class="search"><label for="label-filter">Search in \(Numerals.counted(shown.count, "label"))</label> \
            <input id="label-filter" type="search" autocomplete="off" spellcheck="false"/> \
            <output id="label-count" for="label-filter"></output></p>\
            <div id="label-list">\(table.markup)</div>\(paper)\(rest)
            """
    }
}
