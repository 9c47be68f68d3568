import VarveInspection

/// What is in the store: its types, with counts, bytes and growth.
struct ContentsSection {
    let statistics: InspectedStatistics
    let colors: ReportColors

    var markup: Markup {
        guard !statistics.types.isEmpty else {
            return "<p class=\"empty\">No types are defined.</p>"
        }
        let types = statistics.types.filter { $0.type.tombstoneOf == nil }
            .sorted {
                ($0.liveBytes.rawValue, $0.history.rawValue) > (
                    $1.liveBytes.rawValue, $1.history.rawValue
                )
            }
        let whole = types.reduce(UInt64(0)) { $0 + $1.liveBytes.rawValue }
        let growth = showsGrowth ? [("Growth", false)] : []
        let table = ReportTable(
            [("Type", false), ("Live", true)] + growth + [
                ("Deleted", true), ("Links", true), ("Live bytes", true), ("Share", true),
                ("History", true), ("In the log", true),
            ], types.map { row($0, whole) })
        let explanation: Markup =
            showsGrowth
            ? "Growth is the number of live entities over the time that the log covers. " : Markup()
        return table.markup + """
            <p class="faint">\(explanation)“In the log” is the type’s share of the compressed segments.</p>
            """ + ages
    }

    /// Where the state is an older one, what came since cannot be counted back from it.
    private var showsGrowth: Bool { statistics.health.stateProblem == nil }

    private func row(_ type: TypeStatistics, _ whole: UInt64) -> Markup {
        """
        <td><span class="key c\(colors.color(of: type.type.number))"></span>\
        <bdi class="name">\(type.type.name)</bdi></td>\
        \(ReportText.count(type.live))\(growth(of: type))\(ReportText.count(type.deleted))\
        \(ReportText.count(type.links))\(ReportText.bytes(type.liveBytes))\
        <td class="n">\(ReportText.share(type.liveBytes.rawValue, of: whole))</td>\
        \(ReportText.bytes(type.history))\(ReportText.bytes(type.stored))
        """
    }

    /// How many live entities there were at the end of each period: counted back from now.
    private func growth(of type: TypeStatistics) -> Markup {
        guard showsGrowth else { return Markup() }
        var count = Int64(type.live)
        var counts: [Int64] = [count]
        for period in statistics.periods.periods.reversed() {
            count -= period.types[type.type.number]?.growth ?? 0
            counts.append(max(count, 0))
        }
        let line = Sparkline.markup(
            counts.reversed(), label: "\(type.type.name): live entities over time")
        return "<td class=\"sparkcell\">\(line)</td>"
    }

    private var ages: Markup {
        let whole = statistics.ages.reduce(UInt64(0)) { $0 + $1.live.rawValue }
        guard whole > 0 || statistics.log.transactions > 0 else { return Markup() }
        let rows = statistics.ages.filter { $0.entities > 0 || $0.log.transactions > 0 }.map {
            age -> Markup in
            """
            <td>\(AgeText.name(age.age))</td>\(ReportText.count(age.entities))\(ReportText.bytes(age.live))\
            <td class="n">\(ReportText.share(age.live.rawValue, of: whole))</td>\
            \(ReportText.count(age.log.transactions))\(ReportText.bytes(age.log.stored))
            """
        }
        return "<h3>By age</h3>"
            + ReportTable(
                [
                    ("Last changed", false), ("Entities", true), ("Live bytes", true),
                    ("Share", true),
                    ("Transactions", true), ("In the log", true),
                ], rows
            ).markup
    }
}
