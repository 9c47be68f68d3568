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
    /// The text without what a terminal would obey: control characters show as `?`.
    var printable: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return String(self) }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return String(result)
    }
}
