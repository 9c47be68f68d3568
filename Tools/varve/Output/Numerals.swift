import VarveInspection

/// Numbers for people.
enum Numerals {
    /// With a comma between groups of three digits.
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    static func grouped(_ bytes: ByteCount) -> String { grouped(bytes.rawValue) }

    /// `1 event`, `2 events`, `1,000 entities`.
    static func counted(
        _ number: some BinaryInteger, _ noun: String, _ plural: String? = nil
    ) -> String {
        grouped(number) + " " + (number == 1 ? noun : plural ?? noun + "s")
    }

    /// `812 bytes`, `12.4 KiB`, `3.0 MiB`.
    static func size(_ bytes: ByteCount) -> String {
        var (scaled, unit) = (Double(bytes.rawValue), 0)
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        while scaled >= 1_023.95, unit < units.count - 1 {
            scaled /= 1_024
            unit += 1
        }
        return unit == 0 ? counted(bytes.rawValue, "byte") : fixed(scaled, 1) + " " + units[unit]
    }

    /// `3 assets of 1.5 MiB`.
    static func assets(_ count: Int, _ bytes: ByteCount) -> String {
        counted(count, "asset") + " of " + size(bytes)
    }

    /// How much smaller the stored form is than the raw one; nil of nothing.
    static func ratio(raw: ByteCount, stored: ByteCount) -> String? {
        guard raw > .zero, stored > .zero else { return nil }
        return fixed(Double(raw.rawValue) / Double(stored.rawValue), 2)
    }

    /// With so many digits behind the point, not rounded by any locale.
    private static func fixed(_ number: Double, _ digits: Int) -> String {
        let scale = digits == 1 ? 10.0 : 100.0
        let scaled = (number * scale).rounded()
        let whole = (scaled / scale).rounded(.down)
        let rest = String(Int((scaled - whole * scale).rounded()))
        let padding = String(repeating: "0", count: digits - rest.count)
        return String(UInt64(whole)) + "." + padding + rest
    }
}
