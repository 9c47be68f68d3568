import BenchmarkSupport

/// One line of the report.
struct Measurement: Encodable {
    let area: String
    let name: String
    let unit: String
    let median: Double
    let least: Double
    let most: Double
    /// How the rate compares with that of the reference, measured in the same runs.
    var ratio: Double?
    var reference: String?
    /// What is to be reached, as the issue words it.
    var target: String?

    /// Of values in any order.
    init(_ area: String, _ name: String, unit: String, _ values: [Double], target: String?) {
        guard let spread = Spread(values) else {
            preconditionFailure("a measurement without a value")
        }
        self.area = area
        self.name = name
        self.unit = unit
        self.median = spread.median
        self.least = spread.least
        self.most = spread.most
        self.target = target
    }

    static let header = ["area", "name", "median", "least", "most", "unit", "ratio", "target"]

    var columns: [String] {
        [
            area, name, Spread.text(median), Spread.text(least), Spread.text(most),
            unit,
            ratio.map { "\(Spread.text($0)) of \(reference ?? "")" } ?? "", target ?? "",
        ]
    }
}
