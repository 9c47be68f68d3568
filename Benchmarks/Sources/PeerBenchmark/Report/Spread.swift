import Foundation

/// The median of some runs, with the least and the most.
struct Spread: Encodable {
    let median: Double
    let least: Double
    let most: Double
    let runs: Int

    init?(_ values: [Double]?) {
        guard let sorted = values?.filter(\.isFinite).sorted(), !sorted.isEmpty else { return nil }
        median = sorted[sorted.count / 2]
        least = sorted[0]
        most = sorted[sorted.count - 1]
        runs = sorted.count
    }

    /// A number in a column: three digits that count.
    static func text(_ value: Double) -> String {
        switch abs(value) {
        case 10_000...: String(Int(value.rounded())).grouped
        case 100...: String(Int(value.rounded()))
        case 10...: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
        }
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
