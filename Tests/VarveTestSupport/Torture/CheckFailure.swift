/// The rules of Docs/TESTING.md, by their numbers.
package enum Rule: Int, Sendable, CustomStringConvertible {
    case i1 = 1
    case i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18

    package var description: String { "I\(rawValue)" }
}

/// A rule that a log broke; or, without a rule, a check that could not be made.
package struct CheckFailure: Error, CustomStringConvertible, Sendable {
    package let rule: Rule?
    private let text: String

    package init(_ text: String) { self.init(nil, text) }

    package init(_ rule: Rule?, _ text: String) {
        self.rule = rule
        self.text = text
    }

    package var description: String { rule.map { "\($0): \(text)" } ?? text }

    /// The same, with where it happened.
    package func at(_ place: some CustomStringConvertible) -> CheckFailure {
        CheckFailure(rule, "\(place): \(text)")
    }

    /// An error of the log that the body lets through breaks the rule too.
    package static func breaking<Value>(
        _ rule: Rule, _ what: String, _ body: () throws -> Value
    ) throws(CheckFailure) -> Value {
        do {
            return try body()
        } catch let failure as CheckFailure {
            throw failure
        } catch {
            throw CheckFailure(rule, "\(what): \(error)")
        }
    }
}
