internal import Foundation
internal import Synchronization

/// A regular expression of either kind.
struct TextExpression: Sendable {
    let description: String
    let isFound: @Sendable (String) -> Bool
}

extension TextExpression {
    init(_ expression: NSRegularExpression, _ options: NSRegularExpression.MatchingOptions) {
        description = "/\(expression.pattern)/"
        isFound = { text in
            // Its ranges count UTF-16 units: a length in characters cuts off the end of a text
            // with emoji.
            let all = NSRange(location: 0, length: text.utf16.count)
            return expression.firstMatch(in: text, options: options, range: all) != nil
        }
    }

    init<Output>(_ expression: Regex<Output>) {
        description = "a Regex"
        let shared = SharedRegex(expression)
        isFound = { shared.isFound(in: $0) }
    }
}

/// A `Regex` that several threads match with, one after the other.
///
/// `Regex` is not Sendable because it may hold closures of the application: transforms of captures
/// and components of its own. The rest of it is a program that matching reads and never changes,
/// compiled on first use and published atomically. The lock keeps the closures from running
/// twice at the same time; what they share with code outside of the expression is the
/// application's to guard, as the predicate's documentation says. An uncontended lock costs a
/// hundredth of a match.
private final class SharedRegex<Output>: @unchecked Sendable {
    private let expression: Regex<Output>
    private let turn = Mutex(())

    init(_ expression: Regex<Output>) { self.expression = expression }

    func isFound(in text: String) -> Bool {
        turn.withLock { _ in
            // An error is thrown by a closure of the expression, which thereby refuses the match.
            (try? expression.firstMatch(in: text)) != nil
        }
    }
}
