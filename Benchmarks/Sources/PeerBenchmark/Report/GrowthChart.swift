import BenchmarkSupport
import Foundation

/// One figure against the number of users, a line for each engine, both scales logarithmic.
struct GrowthChart {
    private let figure: Figure
    private let series: [(engine: EngineName, points: [Results.Point])]
    private let sizes: ClosedRange<Double>
    private let values: ClosedRange<Double>

    private let width = 420.0
    private let height = 240.0
    private let left = 52.0
    private let right = 12.0
    private let top = 10.0
    private let bottom = 26.0

    /// Nil where there are no two sizes.
    init?(_ figure: Figure, _ engines: [EngineName: [Results.Point]]) {
        self.figure = figure
        series = EngineName.allCases.compactMap { engine in
            engines[engine].map { (engine, $0.filter { $0.value > 0 }) }
        }
        let sizes = series.flatMap(\.points).map { Double($0.size) }
        let values = series.flatMap(\.points).map(\.value)
        guard let first = sizes.min(), let last = sizes.max(), first < last,
            let least = values.min(), let most = values.max()
        else { return nil }
        self.sizes = first...last
        self.values =
            pow(10, floor(log10(least)))...pow(10, max(floor(log10(least)) + 1, ceil(log10(most))))
    }

    var html: String {
        let description = figure.description
        let note = description.unit.moreIsBetter ? "more is better" : "less is better"
        return """
            <figure class="card"><figcaption><strong>\(escaped(description.title))</strong>
            <span>\(description.unit.name), \(note)</span></figcaption>
            <svg viewBox="0 0 \(Int(width)) \(Int(height))" role="img" aria-label="\(escaped(description.title))">
            \(grid)
            \(series.map(line).joined(separator: "\n"))
            </svg></figure>
            """
    }

    private var grid: String {
        var text = ""
        for value in decades(values) {
            let y = y(value)
            text += """
                <line class="grid" x1="\(left)" x2="\(width - right)" y1="\(y)" y2="\(y)"/>
                <text x="\(left - 6)" y="\(y + 4)" text-anchor="end">\(short(value))</text>
                """
        }
        for size in decades(sizes) {
            let x = x(size)
            let anchor = size == sizes.upperBound ? "end" : "middle"
            text += """
                <line class="grid" x1="\(x)" x2="\(x)" y1="\(top)" y2="\(height - bottom)"/>
                <text x="\(anchor == "end" ? x + right : x)" y="\(height - 8)" text-anchor="\(anchor)">\
                \(short(size))</text>
                """
        }
        return text
    }

    private func line(_ engine: EngineName, _ points: [Results.Point]) -> String {
        let places = points.map { (x(Double($0.size)), y($0.value)) }
        let path = places.map { String(format: "%.1f,%.1f", $0.0, $0.1) }.joined(separator: " ")
        let dots = zip(points, places).map { point, place in
            String(format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\">", place.0, place.1)
                + "<title>\(engine.title), \(short(Double(point.size))) users: "
                + "\(Spread.text(point.value)) \(figure.description.unit.name)</title></circle>"
        }
        return
            "<g class=\"line \(engine.rawValue)\"><polyline points=\"\(path)\"/>\(dots.joined())</g>"
    }

    private func x(_ size: Double) -> Double {
        let part =
            (log10(size) - log10(sizes.lowerBound))
            / (log10(sizes.upperBound) - log10(sizes.lowerBound))
        return left + part * (width - left - right)
    }

    private func y(_ value: Double) -> Double {
        let part =
            (log10(value) - log10(values.lowerBound))
            / (log10(values.upperBound) - log10(values.lowerBound))
        return height - bottom - part * (height - top - bottom)
    }

    private func decades(_ range: ClosedRange<Double>) -> [Double] {
        let first = Int(log10(range.lowerBound).rounded())
        let last = Int(log10(range.upperBound).rounded(.down))
        return first <= last ? (first...last).map { pow(10, Double($0)) } : []
    }

    /// 10 k, 1 M.
    private func short(_ value: Double) -> String {
        switch value {
        case 1e9...: number(value / 1e9) + " G"
        case 1e6...: number(value / 1e6) + " M"
        case 1e3...: number(value / 1e3) + " k"
        default: number(value)
        }
    }

    private func number(_ value: Double) -> String { String(format: "%g", value) }
}
