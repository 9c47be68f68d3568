import BenchmarkSupport
import Foundation

/// The results as one page without anything to load: an overview, bars for each row, curves of
/// growth, and the targets.
struct Page {
    let results: Results

    init(_ results: Results) { self.results = results }

    var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Varve beside its peers</title>
        <style>\(PageStyle.css)</style></head><body><main>
        <header>
        <h1>Varve beside its peers</h1>
        <p class="lead">\(Spread.text(Double(results.size))) users and as many posts, the same work for
        each engine, in turns in one run. Medians of \(results.runs) \(results.runs == 1 ? "run" : "runs"),
        wall time.</p>
        <p class="machine">\(escaped(results.machine.text))</p>
        \(failures)
        </header>
        \(Overview(results).html)
        \(FigureDescription.Area.allCases.map(section).joined(separator: "\n"))
        \(growth)
        \(targets)
        \(remarks)
        </main></body></html>

        """
    }

    private var failures: String {
        guard !results.failures.isEmpty else { return "" }
        let items = results.failures.map { "<li>\(escaped($0))</li>" }.joined()
        return "<ul class=\"failures\">\(items)</ul>"
    }

    private var remarks: String {
        guard let remarks = results.remarks, !remarks.isEmpty else { return "" }
        let items = remarks.map { "<li>\(escaped($0))</li>" }.joined()
        return "<section><h2>Remarks</h2><ul>\(items)</ul></section>"
    }

    // MARK: - Bars

    static func verdict(_ advantage: Double) -> String {
        advantage > 1.1 ? "ahead" : advantage < 1 / 1.1 ? "behind" : "even"
    }

    private func section(_ area: FigureDescription.Area) -> String {
        let figures = results.figures(of: area)
        guard !figures.isEmpty else { return "" }
        let compared = figures.filter { results.engines(with: $0).count > 1 }
        let alone = figures.filter { results.engines(with: $0).count == 1 }
        return """
            <section><h2>\(area.rawValue)</h2>
            <div class="cards">\(compared.map(card).joined(separator: "\n"))\(facts(alone))</div></section>
            """
    }

    /// What only one engine was asked.
    private func facts(_ figures: [Figure]) -> String {
        guard !figures.isEmpty else { return "" }
        let rows = figures.compactMap { figure -> String? in
            let description = figure.description
            guard let spread = results.figures[figure]?.values.first else { return nil }
            return """
                <tr><th scope="row">\(escaped(description.title))</th>
                <td>\(Spread.text(spread.median))</td><td class="unit">\(description.unit.name)</td></tr>
                """
        }
        return """
            <figure class="card"><figcaption><strong>Varve alone</strong></figcaption>
            <table class="facts">\(rows.joined(separator: "\n"))</table></figure>
            """
    }

    private func card(_ figure: Figure) -> String {
        let description = figure.description
        let engines = results.engines(with: figure)
        let scale = BarScale(
            engines.compactMap { results.figures[figure]?[$0] }.flatMap { [$0.least, $0.most] })
        let note = description.unit.moreIsBetter ? "more is better" : "less is better"
        return """
            <figure class="card"><figcaption><strong>\(escaped(description.title))</strong>
            <span>\(description.unit.name), \(note)\(scale.isLogarithmic ? ", logarithmic" : "")</span>
            </figcaption>
            <div class="bars">\(engines.map { bar(figure, $0, scale) }.joined(separator: "\n"))</div>
            </figure>
            """
    }

    private func bar(_ figure: Figure, _ engine: EngineName, _ scale: BarScale) -> String {
        guard let spread = results.figures[figure]?[engine] else { return "" }
        let advantage = results.advantage(figure, over: engine)
        let comparison = advantage.map {
            let verdict = engine == .limit ? engine.rawValue : Self.verdict($0)
            return "<span class=\"ratio \(verdict)\">\(Spread.ratio($0))</span>"
        }
        let most = scale.percent(spread.most)
        let range =
            spread.runs < 2
            ? ""
            : String(
                format: "<i style=\"left:%.2f%%;width:%.2f%%\"></i>", scale.percent(spread.least),
                most - scale.percent(spread.least))
        let length = String(format: "%.2f", scale.percent(spread.median))
        return """
            <span class="engine">\(engine.title)</span>
            <span class="track"><b class="\(engine.rawValue)" style="width:\(length)%"></b>\(range)</span>
            <span class="number">\(Spread.text(spread.median))</span>\(comparison ?? "<span></span>")
            """
    }

    // MARK: - Growth

    private var growth: String {
        let charts = results.growth.keys.sorted().compactMap { figure in
            results.growth[figure].flatMap { GrowthChart(figure, $0)?.html }
        }
        guard !charts.isEmpty else { return "" }
        let names = results.engines.map {
            "<span class=\"key line \($0.rawValue)\">\($0.title)</span>"
        }
        return """
            <section><h2>Growth with the number of users</h2>
            <p>Both scales are logarithmic. \(names.joined(separator: " "))</p>
            <div class="charts">\(charts.joined(separator: "\n"))</div></section>
            """
    }

    // MARK: - Targets

    private var targets: String {
        let outcomes = results.outcomes
        guard !outcomes.isEmpty else { return "" }
        let rows = outcomes.map { outcome in
            """
            <tr><th scope="row">\(escaped(outcome.name))</th><td>\(outcome.found)</td>
            <td>\(outcome.least)</td><td>\(outcome.reach)</td>
            <td><span class="verdict \(outcome.verdict)">\(outcome.verdict.rawValue)</span></td></tr>
            """
        }
        return """
            <section><h2>Targets</h2><p>\(TargetOutcome.explanation)</p>
            <div class="scroll"><table class="targets"><thead><tr><th></th><th>found</th><th>at least</th>
            <th>reach for</th><th></th></tr></thead><tbody>\(rows.joined(separator: "\n"))</tbody>
            </table></div></section>
            """
    }
}

/// Text as it may stand in a page.
func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
}

/// How long the bars of one row are: proportional, and logarithmic where the least would vanish.
struct BarScale {
    let isLogarithmic: Bool
    private let least: Double
    private let most: Double

    init(_ values: [Double]) {
        let positive = values.filter { $0 > 0 }
        least = positive.min() ?? 1
        most = positive.max() ?? 1
        isLogarithmic = most > 20 * least
    }

    /// Of the width that there is.
    func percent(_ value: Double) -> Double {
        guard value > 0, most > 0 else { return 0 }
        guard isLogarithmic else { return 100 * value / most }
        // The shortest bar starts at a tenth of the least, so that it is seen.
        let start = log10(least / 3)
        return 100 * (log10(value) - start) / (log10(most) - start)
    }
}
