import VarveText

/// How text stands out, or that it may not.
struct TextStyle: Sendable {
    private let isColoured: Bool

    static let plain = TextStyle(isColoured: false)
    static let coloured = TextStyle(isColoured: true)

    func bold(_ text: some StringProtocol) -> String { wrap(text, "1") }
    func faint(_ text: some StringProtocol) -> String { wrap(text, "2") }
    func accent(_ text: some StringProtocol) -> String { wrap(text, "36") }

    private func wrap(_ text: some StringProtocol, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : String(text)
    }
}

extension StringProtocol {
    /// The text with escapes for what a terminal would obey.
    var printable: String { String(self).escapedForDisplay }
}
