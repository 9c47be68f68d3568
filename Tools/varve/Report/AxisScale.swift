import VarveInspection

/// Round numbers along an axis that begins at nothing.
struct AxisScale {
    let ticks: [UInt64]
    let top: UInt64
    private let unit: TimeChart.Unit
    private let divisor: UInt64
    private let unitName: String

    init(upTo value: UInt64, _ unit: TimeChart.Unit) {
        self.unit = unit
        let value = max(value, 1)
        let step: UInt64
        switch unit {
        case .transactions:
            step = Self.step(for: value, of: [1, 2, 5], growing: 10)
            (divisor, unitName) = (1, "number")
        case .bytes:
            let units: [(String, UInt64)] = [
                ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("bytes", 1),
            ]
            let found = units.first { value >= $0.1 * 2 } ?? units[3]
            (divisor, unitName) = (found.1, found.0)
            step = Self.step(for: max(value / divisor, 1), of: [1, 2, 4], growing: 8) * divisor
        }
        let count = min((value + step - 1) / step, 5)
        ticks = (0...count).map { $0 * step }
        top = count * step
    }

    /// The least step of which at most four are as much as the value.
    private static func step(for value: UInt64, of steps: [UInt64], growing factor: UInt64)
        -> UInt64
    {
        var scale: UInt64 = 1
        while true {
            for step in steps where step * scale * 4 >= value { return step * scale }
            let (next, overflow) = scale.multipliedReportingOverflow(by: factor)
            guard !overflow, next < 1 << 58 else { return steps[0] * scale }
            scale = next
        }
    }

    var unitText: String { unitName }

    func text(of tick: UInt64) -> String { Numerals.grouped(tick / divisor) }

    /// With its unit, as exactly as people want it.
    func exact(_ value: UInt64) -> String {
        switch unit {
        case .transactions: Numerals.counted(value, "transaction")
        case .bytes: Numerals.size(ByteCount(value))
        }
    }
}
