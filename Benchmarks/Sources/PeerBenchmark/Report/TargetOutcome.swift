import BenchmarkSupport

/// How a target fared.
struct TargetOutcome {
    enum Verdict: String {
        case reached
        case met
        case missed
        /// There is only something to reach for, and it was not.
        case short = "not reached"
    }

    let target: Target
    let value: Double

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

    var found: String { text(value) }
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
            return value.map { TargetOutcome(target: target, value: $0) }
        }
    }
}
