import BenchmarkSupport

/// The results in Markdown, for the repository.
struct ResultsDocument {
    let results: Results

    init(_ results: Results) { self.results = results }

    var text: String {
        var text = """
            # Results

            Written by `Benchmarks/run`; [README](README.md) says what each row does and how the peers are tuned.
            [Assets](README.md#assets), [drafts, live results and the past](README.md#going-back-and-keeping-up) have their figures there.

            \(results.machine.text).

            \(Spread.text(Double(results.size))) users and as many posts; medians of \(results.runs) runs in turns, wall
            time. In each cell the median, the least and the most of the runs, and **how many times better
            Varve is**. *Limit* is what the machine allows for the bare work, in the same run.

            """
        for area in FigureDescription.Area.allCases {
            let figures = results.figures(of: area)
            if !figures.isEmpty { text += "\n## \(area.rawValue)\n\n" + table(figures) }
        }
        text += targets + growth
        if let remarks = results.remarks, !remarks.isEmpty {
            text += "\n## Remarks\n\n" + remarks.map { "* \($0)\n" }.joined()
        }
        if !results.failures.isEmpty {
            text += "\n## Failures\n\n" + results.failures.map { "* \($0)\n" }.joined()
        }
        return text
    }

    private func table(_ figures: [Figure]) -> String {
        let engines = EngineName.allCases.filter { engine in
            figures.contains { results.figures[$0]?[engine] != nil }
        }
        var lines = [["", "unit"] + engines.map(\.title)]
        lines.append(["---", "---"] + engines.map { _ in "---:" })
        for figure in figures {
            let description = figure.description
            lines.append(
                [description.title, description.unit.name] + engines.map { cell(figure, $0) })
        }
        return rows(lines)
    }

    private func cell(_ figure: Figure, _ engine: EngineName) -> String {
        guard let spread = results.figures[figure]?[engine] else { return "" }
        var text = Spread.text(spread.median)
        if spread.runs > 1 {
            text += " (\(Spread.text(spread.least))–\(Spread.text(spread.most)))"
        }
        if let advantage = results.advantage(figure, over: engine), advantage != spread.median {
            text += " **\(Spread.ratio(advantage))**"
        }
        return text
    }

    private var targets: String {
        let outcomes = results.outcomes
        guard !outcomes.isEmpty else { return "" }
        var lines = [
            ["", "found", "at least", "reach for", ""], ["---", "---:", "---:", "---:", "---"],
        ]
        for outcome in outcomes {
            lines.append([
                outcome.name, outcome.found, outcome.least, outcome.reach, outcome.verdict.rawValue,
            ])
        }
        return "\n## Targets\n\n\(TargetOutcome.explanation)\n\n" + rows(lines)
    }

    private var growth: String {
        var text = ""
        for figure in results.growth.keys.sorted() {
            guard let engines = results.growth[figure] else { continue }
            let sizes = Set(engines.values.joined().map(\.size)).sorted()
            guard sizes.count > 1 else { continue }
            var lines = [[""] + sizes.map { Spread.text(Double($0)) }]
            lines.append(["---"] + sizes.map { _ in "---:" })
            for engine in EngineName.allCases {
                guard let points = engines[engine] else { continue }
                lines.append(
                    [engine.title]
                        + sizes.map { size in
                            points.first { $0.size == size }.map { Spread.text($0.value) } ?? ""
                        })
            }
            let description = figure.description
            text += "\n### \(description.title), \(description.unit.name)\n\n" + rows(lines)
        }
        return text.isEmpty ? "" : "\n## Growth with the number of users\n" + text
    }

    private func rows(_ lines: [[String]]) -> String {
        lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
