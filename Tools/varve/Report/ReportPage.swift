import VarveInspection

/// A report of a store: one page that needs nothing but itself.
struct ReportPage {
    let statistics: InspectedStatistics
    let now: Moment

    var markup: Markup {
        let colors = ReportColors(statistics)
        let sections: [(id: String, title: String, body: Markup)] = [
            (
                "contents", "Contents",
                ContentsSection(statistics: statistics, colors: colors).markup
            ),
            ("schema", "Schema", SchemaSection(types: statistics.types.map(\.type)).markup),
            ("life", "Life", LifeSection(statistics: statistics).markup),
            ("files", "Files", FilesSection(statistics: statistics, colors: colors).markup),
            ("entities", "Entities", EntitiesSection(statistics: statistics).markup),
            ("health", "Health", HealthSection(statistics: statistics).markup),
            ("labels", "Labels", LabelsSection(labels: statistics.labels).markup),
        ]
        let links = sections.map { "<a href=\"#\($0.id)\">\($0.title)</a>" as Markup }.joined()
        let bodies = sections.map {
            "<section id=\"\($0.id)\"><h2>\($0.title)</h2>\($0.body)</section>\n" as Markup
        }.joined()
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            script-src 'unsafe-inline'"/>
            <meta name="color-scheme" content="light dark"/>
            <meta name="generator" content="varve \(Tool.version)"/>
            <title>\(name): report</title>
            <style>\(Markup(stringLiteral: ReportStyle.source))</style>
            </head>
            <body>
            <header><h1><bdi>\(name)</bdi> \(badge)</h1><p class="lead">\(lead)</p>\
            <p class="faint"><bdi>\(statistics.path)</bdi> · store \(storeName) · \
            report of \(ReportText.time(now)) UTC</p></header>
            \(notice)<nav aria-label="Parts of the report">\(links)</nav>
            <main>
            \(bodies)</main>
            <footer class="faint">Sizes of entities and of history are raw, as they are encoded; sizes of files are \
            compressed. All times are UTC. Made by <code>varve report</code>.</footer>
            <script>\(Markup(stringLiteral: ReportScript.source))</script>
            </body>
            </html>

            """
    }

    /// The last part of the path.
    private var name: String {
        statistics.path.split(separator: "/").last.map(String.init) ?? statistics.path
    }

    private var storeName: String { statistics.store.map { "\($0)" } ?? "of unknown identity" }

    private var badge: Markup {
        let health = statistics.health
        if !health.isSound { return "<span class=\"badge bad\">damaged</span>" }
        switch health.state {
        case .openForWriting: return "<span class=\"badge\">open for writing</span>"
        case .notClosed: return "<span class=\"badge\">not closed cleanly</span>"
        default: return "<span class=\"badge good\">sound</span>"
        }
    }

    private var lead: Markup {
        let entities = statistics.types.reduce(0) { $0 + $1.live }
        let bytes = statistics.files.reduce(UInt64(0)) { $0 &+ $1.bytes.rawValue }
        let size = Numerals.size(ByteCount(bytes))
        guard let first = statistics.first, let last = statistics.last else {
            return entities == 0
                ? "Nothing was ever written to it: \(size) of files, no types, no transactions."
                : "\(Numerals.counted(entities, "entity", "entities")) in \(size); no history is kept."
        }
        let types = Numerals.counted(
            statistics.types.filter { $0.type.tombstoneOf == nil }.count, "type")
        let known =
            statistics.health.stateTransaction == nil
            ? "An unknown number of entities" : Numerals.counted(entities, "entity", "entities")
        if first == last {
            return
                "\(known) of \(types) in \(size). One transaction, of \(ReportText.time(last.time))."
        }
        return """
            \(known) of \(types) in \(size). \(Numerals.counted(statistics.log.transactions, "transaction")), \
            from \(ReportText.time(first.time)) to \(ReportText.time(last.time)).
            """
    }

    // MARK: What is missing

    private static let placesMax = 12

    private var notice: Markup {
        let health = statistics.health
        guard !health.isSound else { return Markup() }
        var items: [Markup] = []
        if let refusal = health.refusal {
            items.append("The store does not open: \("\(refusal)").")
        }
        for range in health.missing.prefix(Self.placesMax) {
            items.append("\(Self.text(of: range)) cannot be read and is not counted below.")
        }
        if health.stateTransaction == nil, let problem = health.stateProblem {
            items.append(
                "The entities could not be read: \(problem). Counts and sizes of live entities are missing."
            )
        } else if let problem = health.stateProblem, let through = health.stateTransaction {
            items.append(
                "Entities are shown as transaction \(through.rawValue) left them: \(problem).")
        }
        for damage in health.damages.prefix(Self.placesMax) {
            items.append(HealthSection.text(of: damage))
        }
        let more = health.damages.count - min(health.damages.count, Self.placesMax)
        if more > 0 { items.append("\(Numerals.counted(more, "more place")): see Health.") }
        return """
            <aside class="notice" role="note"><strong>This report is of what is sound. Something is missing.</strong>\
            <ul>\(items.map { "<li>\($0)</li>" as Markup }.joined())</ul>\
            <p><code>varve verify</code> checks every byte; <code>varve salvage</code> brings what is readable into a \
            new store.</p></aside>

            """
    }

    static func text(of range: ClosedRange<TransactionID>) -> String {
        range.lowerBound == range.upperBound
            ? "Transaction \(range.lowerBound)"
            : "Transactions \(range.lowerBound) to \(range.upperBound)"
    }
}
