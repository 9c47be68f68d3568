import Foundation

/// A page of its own, without anything to load: for each row a bar chart of how many times better or
/// worse than Varve each engine is, on a logarithmic scale.
struct Page {
    let report: Report

    init(_ report: Report) { self.report = report }

    var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Varve beside its peers</title>
        <style>\(style)</style></head><body><main>
        <h1>Varve beside its peers</h1>
        <p>\(report.options.size) users and as many posts; the median of \(report.options.runs) runs in
        turns, on one machine. Bars show how each engine compares with Varve: to the right of the
        line it is behind, to the left ahead. The scale is logarithmic.</p>
        \(report.rows.map(chart).joined(separator: "\n"))
        </main></body></html>

        """
    }

    private let style = """
        :root { color-scheme: light dark; --ink: #1d2530; --faint: #66707c; --line: #c9d0d8;
          --behind: #2f7d6b; --ahead: #c2603c; --paper: #fbfaf7 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --faint: #9aa5b1;
          --line: #3a4450; --behind: #58b39c; --ahead: #e08a66; --paper: #14181d } }
        body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
          margin: 0 }
        main { max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
        h1 { font-size: 1.6rem } h2 { font-size: 1rem; margin: 1.6rem 0 .3rem }
        svg { width: 100%; height: auto; display: block }
        text { font: 13px system-ui, sans-serif; fill: var(--ink) }
        .value { fill: var(--faint) } .axis { stroke: var(--line) }
        .behind { fill: var(--behind) } .ahead { fill: var(--ahead) }
        """

    private func chart(_ figure: Figure) -> String {
        let engines = report.options.engines.filter { report.spread(figure, $0) != nil }
        let rowHeight = 24
        let bars = engines.enumerated().map { index, engine in
            bar(figure, engine, top: index * rowHeight)
        }
        let height = engines.count * rowHeight
        return """
            <section><h2>\(escaped(figure.title))</h2>
            <svg viewBox="0 0 800 \(height)" role="img" aria-label="\(escaped(figure.title))">
            <line class="axis" x1="\(Self.middle)" x2="\(Self.middle)" y1="0" y2="\(height)"/>
            \(bars.joined(separator: "\n"))
            </svg></section>
            """
    }

    private static let middle = 330
    /// Pixels of a factor of ten.
    private static let decade = 110.0

    private func bar(_ figure: Figure, _ engine: EngineName, top: Int) -> String {
        let median = report.spread(figure, engine).map { Spread.text($0.median) } ?? ""
        var text = """
            <text x="0" y="\(top + 16)">\(engine.rawValue)</text>
            <text class="value" x="180" y="\(top + 16)" text-anchor="end">\(median)</text>
            """
        guard let advantage = report.advantage(figure, over: engine) else { return text }
        let length = min(max(log10(advantage) * Self.decade, -130), 400)
        let start = Double(Self.middle) + min(0, length)
        text += """
            <rect class="\(advantage >= 1 ? "behind" : "ahead")" x="\(start)" y="\(top + 5)"
              width="\(max(abs(length), 1))" height="14" rx="2"/>
            <text class="value" x="\(Double(Self.middle) + max(0, length) + 8)" y="\(top + 16)">
            \(Spread.text(advantage))x</text>
            """
        return text
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
