import BenchmarkSupport

/// The results as plain text.
struct Table {
    let results: Results

    init(_ results: Results) { self.results = results }

    var text: String {
        var text = """
            \(results.machine.text)
            \(results.size) users and as many posts, \(results.runs) runs in turns, wall time.
            Each line: median (least to most); how many times better Varve is.

            """
        for area in FigureDescription.Area.allCases {
            let figures = results.figures(of: area)
            if !figures.isEmpty { text += "\n== \(area.rawValue)\n" }
            for figure in figures { text += lines(figure) }
        }
        text += targets
        for remark in results.remarks ?? [] { text += "\nNOTE: \(remark)\n" }
        for failure in results.failures { text += "\nFAILED: \(failure)\n" }
        return text
    }

    private func lines(_ figure: Figure) -> String {
        let description = figure.description
        var text = "\n\(description.title), \(description.unit.name)  [\(figure.rawValue)]\n"
        for engine in results.engines(with: figure) {
            guard let spread = results.figures[figure]?[engine] else { continue }
            let range = "(\(Spread.text(spread.least)) to \(Spread.text(spread.most)))"
            text += "  " + engine.title.padded(to: 9, right: false)
            text += Spread.text(spread.median).padded(to: 12) + range.padded(to: 26)
            if let advantage = results.advantage(figure, over: engine) {
                text += Spread.ratio(advantage).padded(to: 12)
            }
            text += "\n"
        }
        return text
    }

    private var targets: String {
        let outcomes = results.outcomes
        guard !outcomes.isEmpty else { return "" }
        var text = "\n== Targets\n\n"
        for outcome in outcomes {
            text += "  " + outcome.verdict.rawValue.padded(to: 25, right: false)
            text += "\(outcome.name): \(outcome.found)"
            text += " (at least \(outcome.least), reach for \(outcome.reach))\n"
        }
        return text
    }
}

extension String {
    /// With spaces before it, or behind it.
    fileprivate func padded(to width: Int, right: Bool = true) -> String {
        let spaces = String(repeating: " ", count: max(1, width - count))
        return right ? spaces + self : self + spaces
    }
}
