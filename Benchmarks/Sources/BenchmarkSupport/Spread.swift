import Foundation

/// The median of some runs, with the least and the most.
public struct Spread: Codable, Sendable {
    public let median: Double
    public let least: Double
    public let most: Double
    public let runs: Int

    /// Nil where no value is a number.
    public init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        least = sorted[0]
        most = sorted[sorted.count - 1]
        runs = sorted.count
    }

    /// A number in a column: three digits are all that a shared machine can promise.
    public static func text(_ value: Double) -> String {
        switch abs(value) {
        case 1_000...: String(Int(value.rounded())).grouped
        case 100...: String(Int(value.rounded()))
        case 10...: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
        }
    }

    /// How many times better one is than another.
    public static func ratio(_ advantage: Double) -> String {
        advantage < 0.01 ? "1/" + text(1 / advantage) : text(advantage) + "×"
    }
}

extension Sequence<Double> {
    /// The value below which so great a part of all lies.
    public func percentile(_ part: Double) -> Double {
        let sorted = sorted()
        precondition(!sorted.isEmpty, "a percentile of nothing")
        return sorted[Int(Double(sorted.count - 1) * part)]
    }
}

extension String {
    /// Digits in groups of three.
    fileprivate var grouped: String {
        var text = ""
        for (index, digit) in enumerated() {
            if index > 0, (count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}
