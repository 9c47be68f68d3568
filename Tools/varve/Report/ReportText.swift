import VarveInspection

/// Texts that several parts of a report share.
enum ReportText {
    /// A name of the store's, kept apart from the direction of what is around it. Nil is shown as `none`.
    static func name(_ name: String?, none: String) -> Markup {
        guard let name else { return "<span class=\"faint\">\(none)</span>" }
        return "<bdi class=\"name\" title=\"\(name)\">\(name.isEmpty ? "“”" : name)</bdi>"
    }

    static func entity(_ name: EntityName) -> Markup {
        let id = ValueText.text(of: name.id)
        return
            "<span class=\"type\">\(name.type)</span> <bdi class=\"name id\" title=\"\(id)\">\(id)</bdi>"
    }

    static func time(_ moment: Moment) -> Markup {
        let text = moment.iso8601Seconds
        let shown = text.replacing("T", with: " ").replacing("Z", with: "")
        return "<time datetime=\"\(text)\">\(shown)</time>"
    }

    /// `12 %`, `0.4 %`, `<0.1 %`; empty of nothing.
    static func share(_ part: UInt64, of whole: UInt64) -> String {
        guard whole > 0, part > 0 else { return "" }
        let tenths = (Double(part) / Double(whole) * 1_000).rounded()
        if tenths < 1 { return "<0.1 %" }
        let value = Int64(tenths)
        return value >= 100 ? "\((value + 5) / 10) %" : "\(value / 10).\(value % 10) %"
    }

    /// `12 minutes`, `1.5 hours`.
    static func duration(_ microseconds: Int64) -> String {
        let units: [(String, Int64)] = [
            ("day", 86_400_000_000), ("hour", 3_600_000_000), ("minute", 60_000_000),
            ("second", 1_000_000),
            ("millisecond", 1_000),
        ]
        let unit = units.first { microseconds >= $0.1 } ?? units[units.count - 1]
        let tenths = (Double(microseconds) / Double(unit.1) * 10).rounded()
        let whole = Int64(tenths) / 10
        if Int64(tenths) % 10 == 0 { return Numerals.counted(whole, unit.0) }
        return "\(whole).\(Int64(tenths) % 10) \(unit.0)s"
    }

    static func count(_ number: some BinaryInteger) -> Markup {
        "<td class=\"n\">\(Numerals.grouped(number))</td>"
    }

    static func bytes(_ bytes: ByteCount) -> Markup {
        "<td class=\"n\" title=\"\(Numerals.counted(bytes.rawValue, "byte"))\">\(Numerals.size(bytes))</td>"
    }
}
