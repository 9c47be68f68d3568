import VarveInspection

/// How the store came to be what it is: transactions and bytes over time, and the largest transactions.
struct LifeSection {
    private static let namesMax = 10

    let statistics: InspectedStatistics

    private typealias Amounts = KeyPath<Periods.Period, [Int: InspectedStatistics.Amount]>

    var markup: Markup {
        guard statistics.first != nil else {
            return "<p class=\"empty\">There are no transactions in the log.</p>"
        }
        let views:
            [(id: String, title: String, none: String, names: NameStatistics, amounts: Amounts)] = [
                ("label", "By label", "no label", statistics.labelPatterns, \.labels),
                ("author", "By author", "no author", statistics.authors, \.authors),
                ("scope", "By scope", "no scope", statistics.scopes, \.scopes),
            ]
        let inputs = views.map { view -> Markup in
            let checked: Markup = view.id == "label" ? " checked=\"checked\"" : ""
            return "<input type=\"radio\" name=\"life\" id=\"by-\(view.id)\"\(checked)/>"
                + "<label for=\"by-\(view.id)\">\(view.title)</label>"
        }
        let panels = views.map { view in
            "<div class=\"panel panel-\(view.id)\"><h3 class=\"paper\">\(view.title)</h3>" as Markup
                + panel(view.names, view.none, view.amounts) + "</div>"
        }
        return
            "<div class=\"tabs\">\(inputs.joined())\(panels.joined())</div><h3>Largest transactions</h3>"
            + largest
    }

    // MARK: Charts

    private func panel(_ names: NameStatistics, _ none: String, _ amounts: Amounts) -> Markup {
        let periods = statistics.periods
        func columns(_ value: (InspectedStatistics.Amount) -> UInt64) -> [[UInt64]] {
            periods.periods.map { period in
                var sums = Array(repeating: UInt64(0), count: ReportColors.count)
                for (position, amount) in period[keyPath: amounts] {
                    sums[color(position, of: names)] += value(amount)
                }
                return sums
            }
        }
        let charts = [
            TimeChart(
                title: "Transactions", unit: .transactions, columns: columns(\.transactions),
                periods: periods),
            TimeChart(
                title: "Bytes in the log", unit: .bytes, columns: columns(\.stored.rawValue),
                periods: periods),
        ]
        return "<div class=\"charts\">\(charts.map(\.markup).joined())</div>" + table(names, none)
    }

    /// Those that take most have a colour of their own.
    private func color(_ position: Int, of names: NameStatistics) -> Int {
        position >= 0 && position < ReportColors.other ? position : ReportColors.other
    }

    private func table(_ names: NameStatistics, _ none: String) -> Markup {
        let shown = names.entries.prefix(Self.namesMax)
        var rows = shown.enumerated().map { position, entry in
            row(
                "<span class=\"key c\(color(position, of: names))\"></span>"
                    + ReportText.name(entry.name, none: none),
                entry.amount)
        }
        var others = names.others
        for entry in names.entries.dropFirst(shown.count) { others += entry.amount }
        if others.transactions > 0 {
            let count = names.entries.count - shown.count
            let text = count > 0 ? Numerals.counted(count, "other") : "others"
            rows.append(
                row(
                    "<span class=\"key c\(ReportColors.other)\"></span><span class=\"faint\">\(text)</span>",
                    others))
        }
        return ReportTable(
            [
                ("Name", false), ("Transactions", true), ("Events", true), ("In the log", true),
                ("Share", true),
                ("Raw", true),
            ], rows
        ).markup
    }

    private func row(_ name: Markup, _ amount: InspectedStatistics.Amount) -> Markup {
        """
        <td>\(name)</td>\(ReportText.count(amount.transactions))\(ReportText.count(amount.events))\
        \(ReportText.bytes(amount.stored))\
        <td class="n">\(ReportText.share(amount.stored.rawValue, of: statistics.log.stored.rawValue))</td>\
        \(ReportText.bytes(amount.raw))
        """
    }

    // MARK: Largest

    private var largest: Markup {
        let rows = statistics.largestTransactions.prefix(Self.namesMax).map {
            transaction -> Markup in
            """
            <td class="n">\(transaction.id.rawValue)</td><td>\(ReportText.time(transaction.time))</td>\
            <td>\(ReportText.name(transaction.label, none: transaction.kind.text))</td>\
            <td>\(ReportText.name(transaction.author, none: "–"))</td>\(ReportText.count(transaction.eventCount))\
            \(ReportText.bytes(transaction.storedBytes))\(ReportText.bytes(transaction.rawBytes))
            """
        }
        return ReportTable(
            [
                ("Number", true), ("Time", false), ("Label", false), ("Author", false),
                ("Events", true),
                ("In the log", true), ("Raw", true),
            ], rows
        ).markup
    }
}
