/// Numbers as people read them.
enum Quantity {
    /// `63,666`
    static func grouped(_ number: some BinaryInteger) -> String {
        var digits = Array(String(number))
        let start = digits.first == "-" ? 1 : 0
        var position = digits.count - 3
        while position > start {
            digits.insert(",", at: position)
            position -= 3
        }
        return String(digits)
    }

    /// `1 package`, `2 packages`
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `14.2 MB`, in powers of ten as apt shows them.
    static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 999.5 || unit == "GB" {
                return unit == "bytes" ? Self.count(count, "byte") : "\(tenths(value)) \(unit)"
            }
            value /= 1000
        }
        return Self.count(count, "byte")
    }

    /// `2.1`
    static func tenths(_ value: Double) -> String {
        let tenths = Int64((value * 10).rounded())
        return "\(grouped(tenths / 10)).\(abs(tenths % 10))"
    }
}
