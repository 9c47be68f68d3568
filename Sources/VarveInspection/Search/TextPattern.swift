public import Foundation
internal import VarveText

/// What to look for in texts.
public struct TextPattern: Hashable, Sendable {
    /// How a pattern is written.
    public enum Form: Hashable, Sendable {
        /// The text itself, by its bytes.
        case text
        /// A regular expression of Swift.
        case regularExpression
    }

    /// The pattern as it is written.
    public let text: String
    /// How it is written.
    public let form: Form
    /// Whether letters of any case fit.
    public let ignoresCase: Bool

    /// A pattern, which is checked here once and for all.
    ///
    /// - Throws: ``TextPatternError`` for an empty text, and for what is no regular expression.
    public init(
        _ text: String, as form: Form = .text, ignoresCase: Bool = false
    ) throws(TextPatternError) {
        guard !text.isEmpty else { throw .empty }
        self.text = text
        self.form = form
        self.ignoresCase = ignoresCase
        _ = try makeMatcher()
    }

    func makeMatcher() throws(TextPatternError) -> TextMatcher {
        switch form {
        case .text where !ignoresCase: return TextMatcher(.bytes([UInt8](text.utf8)))
        case .text: return TextMatcher(.folded(text))
        case .regularExpression:
            do {
                let expression = try Regex(text)
                return TextMatcher(.expression(ignoresCase ? expression.ignoresCase() : expression))
            } catch {
                throw .notAnExpression(reason: "\(error)")
            }
        }
    }
}

/// Why a text is no pattern.
public enum TextPatternError: Error, Hashable, Sendable {
    /// Nothing would be found everywhere.
    case empty
    /// What the parser of regular expressions says.
    case notAnExpression(reason: String)
}

extension TextPatternError: CustomStringConvertible {
    /// One line that says what is wrong with the pattern.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .empty: ErrorMessage("the pattern is empty", "give a text to look for")
        case .notAnExpression(let reason):
            ErrorMessage("the pattern is not a regular expression: \(reason)", "correct it")
        }
    }
}

extension TextPatternError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

/// Finds a pattern in texts. Belongs to one thread.
struct TextMatcher {
    enum Method {
        case bytes([UInt8])
        case folded(String)
        case expression(Regex<AnyRegexOutput>)
    }

    private let method: Method

    init(_ method: Method) { self.method = method }

    /// How often the pattern occurs, without overlaps. O(n) for a plain text.
    func count(in text: String) -> Int {
        if case .bytes(let bytes) = method {
            var text = text
            return text.withUTF8 { Self.count(bytes, in: UnsafeRawBufferPointer($0)) }
        }
        return ranges(in: text).count
    }

    /// Where the pattern occurs, without overlaps. An expression that matches nothing occurs nowhere.
    func ranges(in text: String) -> [Range<String.Index>] {
        switch method {
        case .bytes(let bytes):
            Self.ranges(of: String(decoding: bytes, as: UTF8.self), in: text, [.literal])
        case .folded(let pattern): Self.ranges(of: pattern, in: text, [.caseInsensitive])
        case .expression(let expression):
            text.matches(of: expression).map(\.range).filter { !$0.isEmpty }
        }
    }

    private static func ranges(
        of pattern: String, in text: String, _ options: String.CompareOptions
    ) -> [Range<String.Index>] {
        var ranges: [Range<String.Index>] = []
        var start = text.startIndex
        while let range = text.range(of: pattern, options: options, range: start..<text.endIndex),
            !range.isEmpty
        {
            ranges.append(range)
            start = range.upperBound
        }
        return ranges
    }

    private static func count(_ pattern: [UInt8], in text: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var rest = text
        while rest.count >= pattern.count, let start = rest.baseAddress,
            let found = memchr(start, Int32(pattern[0]), rest.count - pattern.count + 1)
        {
            let isMatch = memcmp(found, pattern, pattern.count) == 0
            count += isMatch ? 1 : 0
            let end = UnsafeRawPointer(found) - start + (isMatch ? pattern.count : 1)
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return count
    }
}
