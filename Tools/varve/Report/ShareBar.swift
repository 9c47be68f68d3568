/// A bar of parts, as wide as its share of the space.
enum ShareBar {
    /// - Parameters:
    ///   - parts: amounts by colour.
    ///   - whole: the amount of the full width.
    static func markup(_ parts: [UInt64], of whole: UInt64, label: String) -> Markup {
        let scale = 100 / Double(max(whole, 1))
        let pieces = parts.enumerated().filter { $0.element > 0 }.map { color, amount -> Markup in
            "<i class=\"c\(color)\" style=\"width:\(Double(amount) * scale)%\"></i>"
        }
        return "<div class=\"bar\" role=\"img\" aria-label=\"\(label)\">\(pieces.joined())</div>"
    }
}
