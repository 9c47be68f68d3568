import BenchmarkSupport
import Foundation

/// All that a comparison found, as the JSON file holds it.
struct Results: Codable {
    struct Point: Codable {
        let size: Int
        let value: Double
    }

    let machine: Machine
    let size: Int
    let runs: Int
    let engines: [EngineName]
    let figures: [Figure: [EngineName: Spread]]
    /// By the number of users.
    let growth: [Figure: [EngineName: [Point]]]
    /// What went wrong; empty after a run that counts.
    let failures: [String]
    /// What a reader of the figures has to know; nil in files of earlier versions.
    let remarks: [String]?

    /// How many times better Varve is.
    func advantage(_ figure: Figure, over engine: EngineName) -> Double? {
        let unit = figure.description.unit
        guard engine != .varve, let other = figures[figure]?[engine]?.median, other > 0 else {
            return nil
        }
        if case .advantage = unit { return other }
        // Who gains most is not better for it.
        if case .gain = unit { return nil }
        guard let own = figures[figure]?[.varve]?.median, own > 0 else { return nil }
        return unit.moreIsBetter ? own / other : other / own
    }

    /// The engines that have the figure, in the order of the tables.
    func engines(with figure: Figure) -> [EngineName] {
        EngineName.allCases.filter { figures[figure]?[$0] != nil }
    }

    /// What was measured of an area, in the order of the tables.
    func figures(of area: FigureDescription.Area) -> [Figure] {
        figures.keys.filter { $0.description.area == area }.sorted()
    }

    init(
        machine: Machine, size: Int, runs: Int, engines: [EngineName],
        figures: [Figure: [EngineName: Spread]], growth: [Figure: [EngineName: [Point]]],
        failures: [String], remarks: [String]?
    ) {
        self.machine = machine
        self.size = size
        self.runs = runs
        self.engines = engines
        self.figures = figures
        self.growth = growth
        self.failures = failures
        self.remarks = remarks
    }

    /// What an earlier run left.
    init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: url))
    }

    func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: url)
    }

    /// Only what was asked for.
    func restricted(to wanted: Set<Figure>) -> Results {
        Results(
            machine: machine, size: size, runs: runs, engines: engines,
            figures: figures.filter { wanted.contains($0.key) },
            growth: growth.filter { wanted.contains($0.key) }, failures: failures,
            remarks: remarks)
    }
}
