import Foundation

/// Prints the table, and writes the files that were asked for.
struct Report {
    let comparison: Comparison
    let options: Options

    init(_ comparison: Comparison, _ options: Options) {
        self.comparison = comparison
        self.options = options
    }

    func write() throws {
        print(table)
        if let json = options.json { try data.write(to: json) }
        if let page = options.page { try Data(Page(self).html.utf8).write(to: page) }
    }

    /// The rows that were measured and asked for.
    var rows: [Figure] {
        Figure.allCases.filter { figure in
            let isWanted = options.only.map { figure.title.contains($0) } ?? true
            return isWanted && options.engines.contains { spread(figure, $0) != nil }
        }
    }

    func spread(_ figure: Figure, _ engine: EngineName) -> Spread? {
        Spread(comparison.figures[engine]?[figure])
    }

    /// How many times better Varve is.
    func advantage(_ figure: Figure, over engine: EngineName) -> Double? {
        guard engine != .varve, let own = spread(figure, .varve)?.median,
            let other = spread(figure, engine)?.median, own > 0, other > 0
        else { return nil }
        return figure.moreIsBetter ? own / other : other / own
    }

    private var table: String {
        var text =
            "\(options.size) users and as many posts, \(options.runs) runs in turns, wall time.\n"
        text += "Each cell: median (least to most); x: how many times better Varve is.\n"
        for figure in rows {
            text += "\n\(figure.title)\n"
            for engine in options.engines {
                guard let spread = spread(figure, engine) else { continue }
                text += "  " + engine.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
                text += pad(Spread.text(spread.median), 12)
                text += pad("(\(Spread.text(spread.least)) to \(Spread.text(spread.most)))", 26)
                if let advantage = advantage(figure, over: engine) {
                    text += pad(Spread.text(advantage) + " x", 12)
                }
                text += "\n"
            }
        }
        return text
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    private var data: Data {
        get throws {
            struct File: Encodable {
                let size: Int
                let runs: Int
                let figures: [Figure: [EngineName: Spread]]
            }
            var figures: [Figure: [EngineName: Spread]] = [:]
            for figure in rows {
                for engine in options.engines {
                    figures[figure, default: [:]][engine] = spread(figure, engine)
                }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(
                File(size: options.size, runs: options.runs, figures: figures))
        }
    }
}
