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
        precondition(!values.isEmpty, "a measurement without a value")
        let values = values.sorted()
        self.area = area
        self.name = name
        self.unit = unit
        self.median = values[values.count / 2]
        self.least = values[0]
        self.most = values[values.count - 1]
        self.target = target
    }

    static let header = ["area", "name", "median", "least", "most", "unit", "ratio", "target"]

    var columns: [String] {
        [
            area, name, Measurement.text(median), Measurement.text(least), Measurement.text(most),
            unit,
            ratio.map { "\(Measurement.text($0)) of \(reference ?? "")" } ?? "", target ?? "",
        ]
    }

    /// Three digits are all that a shared machine can promise.
    private static func text(_ value: Double) -> String {
        if value.magnitude >= 100 { return "\(Int(value.rounded()))" }
        let scale = value.magnitude >= 10 ? 10.0 : 100.0
        return "\((value * scale).rounded() / scale)"
    }
}
