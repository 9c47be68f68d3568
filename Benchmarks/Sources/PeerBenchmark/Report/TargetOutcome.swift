import BenchmarkSupport

/// How a target fared.
struct TargetOutcome {
    enum Verdict: String {
        case reached
        case met
        case missed
        /// There is only something to reach for, and it was not.
        case short = "not reached"
        /// It was stated for another size.
        case elsewhere = "not judged at this size"
    }

    /// For readers of the verdicts.
    static let explanation = """
        Ratios are judged at every size, all else at the million users and posts that it was stated for.
        """

    let target: Target
    let value: Double
    /// How many users there were.
    let size: Int
    /// The same figure of others, where it compares an engine with itself.
    let others: [(engine: EngineName, value: Double)]

    private var unit: FigureDescription.Unit { target.figure.description.unit }

    /// Ratios over an engine are the better the greater they are.
    private var moreIsBetter: Bool {
        if case .over = target.rule { return true }
        return unit.moreIsBetter
    }

    private func satisfies(_ bound: Double) -> Bool {
        moreIsBetter ? value >= bound : value <= bound
    }

    var verdict: Verdict {
        guard target.isRatio || size == Target.size else { return .elsewhere }
        if let reach = target.reach, satisfies(reach) { return .reached }
        guard let least = target.least else { return .short }
        return satisfies(least) ? .met : .missed
    }

    var name: String {
        switch target.rule {
        case .over(let engine): "\(target.figure.description.title), against \(engine.title)"
        case .figure: target.figure.description.title
        }
    }

    var found: String {
        guard !others.isEmpty else { return text(value) }
        let beside = others.map { "\($0.engine.title) \(text($0.value))" }
        return "\(text(value)) (\(beside.joined(separator: ", ")))"
    }

    var least: String { target.least.map(text) ?? "–" }
    var reach: String { target.reach.map(text) ?? "–" }

    private func text(_ value: Double) -> String {
        switch target.rule {
        case .over: Spread.text(value) + " ×"
        case .figure: Spread.text(value) + " " + unit.name
        }
    }
}

extension Results {
    /// Of the targets whose figures are there.
    var outcomes: [TargetOutcome] {
        Target.all.compactMap { target in
            let value =
                switch target.rule {
                case .over(let engine): advantage(target.figure, over: engine)
                case .figure: figures[target.figure]?[.varve]?.median
                }
            return value.map {
                TargetOutcome(
                    target: target, value: $0, size: size, others: gains(target.figure))
            }
        }
    }

    /// What the peers gain is no target, but the measure of what this disk lets anybody gain.
    private func gains(_ figure: Figure) -> [(engine: EngineName, value: Double)] {
        guard case .gain = figure.description.unit else { return [] }
        return engines(with: figure).filter { $0 != .varve }.compactMap { engine in
            figures[figure]?[engine].map { (engine, $0.median) }
        }
    }
}
