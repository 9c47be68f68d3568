import VarveInspection
import VarveText

/// An index of labels that can be searched: the first ones as a table, all of them as data that a script filters.
struct LabelsSection {
    /// How many rows the table has, before a search and after it.
    static let listedMax = 100

    let labels: NameStatistics

    var markup: Markup {
        let named = labels.entries.filter { $0.name != nil }.sorted {
            LabelOrder.isBefore($0.name ?? "", $1.name ?? "")
        }
        guard !named.isEmpty else { return "<p class=\"empty\">No transaction has a label.</p>" }
        let table = ReportTable(
            [
                ("Label", false), ("Transactions", true), ("In the log", true), ("First", true),
                ("Last", true),
                ("Last written", false),
            ], named.prefix(Self.listedMax).map(row))
        let count = Numerals.counted(named.count, "label")
        let listed: Markup =
            named.count > Self.listedMax
            ? "The first \(Self.listedMax) of \(count) are listed." : Markup()
        return """
            <p class="search"><label for="label-filter">Search in \(count)</label> \
            <input id="label-filter" type="search" autocomplete="off" spellcheck="false"/></p>\
            <p class="faint"><output id="label-count" for="label-filter">\(listed)</output></p>\
            <noscript><p class="faint">The search needs JavaScript.</p></noscript>\
            <div id="label-list">\(table.markup)</div>\(others)\
            <script id="label-data" type="application/json">\(Markup(data: data(of: named)))</script>
            """
    }

    private func row(_ entry: NameStatistics.Entry) -> Markup {
        """
        <td>\(ReportText.name(entry.name, none: ""))</td>\(ReportText.count(entry.amount.transactions))\
        \(ReportText.bytes(entry.amount.stored))<td class="n">\(entry.first.id.rawValue)</td>\
        <td class="n">\(entry.last.id.rawValue)</td><td>\(ReportText.time(entry.last.time))</td>
        """
    }

    /// What the page does not have, because memory is bounded.
    private var others: Markup {
        guard labels.others.transactions > 0 else { return Markup() }
        let number = labels.others.transactions
        let count = Numerals.counted(number, "more transaction")
        let verb = number == 1 ? "has a label" : "have labels"
        return """
            <p class="faint">\(count) \(verb) that this page has no room for; \
            <code>varve grep --labels</code> finds \(number == 1 ? "it" : "them").</p>
            """
    }

    // MARK: Data

    /// An array for each label: text, transactions, stored bytes, first, last, and when the last was written.
    private func data(of entries: [NameStatistics.Entry]) -> JSON {
        .array(
            entries.map { entry in
                .array([
                    .text((entry.name ?? "").escapedForDisplay),
                    .number(entry.amount.transactions), .bytes(entry.amount.stored),
                    .id(entry.first.id), .id(entry.last.id), time(entry.last.time),
                ])
            })
    }

    /// Seconds since 1970, which the script writes as a date; the text where it could not.
    private func time(_ moment: Moment) -> JSON {
        let seconds = moment.microseconds / 1_000_000
        let yearTenThousand: Int64 = 253_402_300_800
        return moment.microseconds >= 0 && seconds < yearTenThousand
            ? .number(seconds) : .text(moment.iso8601Seconds)
    }
}
