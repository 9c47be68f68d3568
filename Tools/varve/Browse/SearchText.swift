import Foundation

/// What is searched: anywhere in a text, in any case unless it has a capital letter.
struct SearchText: Hashable, Sendable {
    let text: String
    private let ignoresCase: Bool

    init(_ text: String) {
        self.text = text
        ignoresCase = text.lowercased() == text
    }

    func matches(_ other: String) -> Bool {
        (ignoresCase ? other.lowercased() : other).contains(text)
    }
}

enum SearchDirection: Hashable, Sendable {
    /// Towards the last row.
    case down
    case up

    var reversed: SearchDirection { self == .down ? .up : .down }
}
