import BenchmarkSupport
import Foundation

/// Every row that a peer has, and how many times better Varve is than each: as numbers, and as dots
/// on one logarithmic scale.
struct Overview {
    private let results: Results
    private let peers: [EngineName]
    /// The decades that the scale of dots covers.
    private let decades: ClosedRange<Int>

    init(_ results: Results) {
        self.results = results
        let peers = EngineName.all.filter { $0 != .varve && results.engines.contains($0) }
        let found = results.figures.keys.flatMap { figure in
            peers.compactMap { results.advantage(figure, over: $0) }
        }
        self.peers = peers
        // What lies beyond stands at the edge.
        let least = floor(log10(max(0.01, found.min() ?? 1)))
        let most = ceil(log10(min(100, found.max() ?? 1)))
        decades = Int(min(least, -1))...Int(max(most, 1))
    }

    var html: String {
        let areas = FigureDescription.Area.allCases.compactMap(area)
        guard !areas.isEmpty else { return "" }
        return """
            <section><h2>At a glance</h2>
            <p>How many times better Varve is than each peer:
            <span class="key ahead">ahead</span><span class="key even">within 10 %</span><span
            class="key behind">behind</span> Dots right of the line: Varve is ahead.</p>
            <div class="scroll"><table class="overview"><thead><tr><th></th>
            \(peers.map { "<th scope=\"col\"><span class=\"dot \($0.rawValue)\"></span>\($0.title)</th>" }
                .joined())
            <th class="strip"><span class="scale">\(labels)</span></th></tr></thead>
            <tbody>\(areas.joined(separator: "\n"))</tbody></table></div></section>
            """
    }

    private func area(_ area: FigureDescription.Area) -> String? {
        let figures = results.figures(of: area).filter { figure in
            peers.contains { results.advantage(figure, over: $0) != nil }
        }
        guard !figures.isEmpty else { return nil }
        let rows = figures.map { figure in
            "<tr><th scope=\"row\">\(escaped(figure.description.title))</th>"
                + peers.map { cell(figure, $0) }.joined() + strip(figure) + "</tr>"
        }
        return "<tr class=\"area\"><th colspan=\"\(peers.count + 2)\">\(area.rawValue)</th></tr>"
            + rows.joined(separator: "\n")
    }

    private func cell(_ figure: Figure, _ engine: EngineName) -> String {
        guard let advantage = results.advantage(figure, over: engine) else {
            return "<td class=\"none\">–</td>"
        }
        let weight = min(1, 0.25 + abs(log10(advantage)) * 0.5)
        let style = String(format: "--weight:%.0f%%", weight * 100)
        return "<td class=\"\(Page.verdict(advantage))\" style=\"\(style)\">"
            + "\(Spread.ratio(advantage))</td>"
    }

    private func strip(_ figure: Figure) -> String {
        let dots = peers.compactMap { engine in
            results.advantage(figure, over: engine).map { advantage in
                "<b class=\"dot \(engine.rawValue)\" style=\"left:\(place(log10(advantage)))%\" "
                    + "title=\"\(engine.title): \(Spread.ratio(advantage))\"></b>"
            }
        }
        let lines = decades.map { decade in
            "<i\(decade == 0 ? " class=\"one\"" : "") style=\"left:\(place(Double(decade)))%\"></i>"
        }
        return "<td class=\"strip\"><span>\(lines.joined())\(dots.joined())</span></td>"
    }

    private var labels: String {
        decades.map { decade in
            let text =
                decade < 0
                ? "1/\(Int(pow(10, Double(-decade))))" : "\(Int(pow(10, Double(decade))))×"
            return "<i style=\"left:\(place(Double(decade)))%\">\(text)</i>"
        }.joined()
    }

    private func place(_ logarithm: Double) -> String {
        let (first, last) = (Double(decades.lowerBound), Double(decades.upperBound))
        let part = (min(max(logarithm, first), last) - first) / (last - first)
        return String(format: "%.1f", part * 100)
    }
}
