import Foundation
import VarveText

/// Where results go: the text, how wide it may be, and whether it may have colours.
///
/// Text is collected and written once at the end, so that no output stands half when a command
/// fails.
struct Screen: Sendable {
    let width: Int
    let style: TextStyle
    private let isTerminal: Bool
    private let sink: @Sendable (String) throws -> Void

    init(
        width: Int = 80, style: TextStyle = .plain, isTerminal: Bool = false,
        sink: @escaping @Sendable (String) throws -> Void
    ) {
        self.width = max(width, 40)
        self.style = style
        self.isTerminal = isTerminal
        self.sink = sink
    }

    static func standardOutput() -> Screen {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
        return Screen(
            width: isTerminal ? Terminal.width(of: STDOUT_FILENO) : 80,
            style: isTerminal && Terminal.permitsColour ? .coloured : .plain,
            isTerminal: isTerminal
        ) { try Terminal.write($0, to: STDOUT_FILENO) }
    }

    func write(_ text: String) throws {
        try sink(text)
    }

    /// One JSON document, keys in alphabetical order; to a terminal with escapes for what would command it.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        try sink(isTerminal ? text.escapedForDisplayAsJSON : text)
    }
}
