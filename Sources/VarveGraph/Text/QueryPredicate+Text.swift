// The public interface names NSRegularExpression.
public import Foundation

// MARK: - Substrings

extension QueryPredicate {
    /// Any of the properties contains the text.
    ///
    /// Texts are compared in their folded form, from the edge of a character to the edge of a
    /// character. An empty text is in every text; a property that is nil contains none.
    ///
    /// - Parameters:
    ///   - paths: the properties to look into.
    ///   - text: what to look for.
    ///   - caseSensitive: whether `A` differs from `a`.
    ///   - diacriticSensitive: whether `é` differs from `e`.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, contains text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        pattern(
            fields(repeat each paths), text, .anywhere, caseSensitive, diacriticSensitive)
    }

    /// None of the properties contains the text.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, notContains text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        !pattern(
            fields(repeat each paths), text, .anywhere, caseSensitive, diacriticSensitive)
    }

    /// Any of the properties starts with the text.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, hasPrefix text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        pattern(
            fields(repeat each paths), text, .atStart, caseSensitive, diacriticSensitive)
    }

    /// None of the properties starts with the text.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, notHavingPrefix text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        !pattern(
            fields(repeat each paths), text, .atStart, caseSensitive, diacriticSensitive)
    }

    /// Any of the properties ends with the text.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, hasSuffix text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        pattern(
            fields(repeat each paths), text, .atEnd, caseSensitive, diacriticSensitive)
    }

    /// None of the properties ends with the text.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, notHavingSuffix text: String,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Self {
        !pattern(
            fields(repeat each paths), text, .atEnd, caseSensitive, diacriticSensitive)
    }

    private static func pattern(
        _ fields: [TextField], _ text: String, _ place: TextPattern.Place,
        _ caseSensitive: Bool, _ diacriticSensitive: Bool
    ) -> Self {
        let folding = TextFolding(
            caseSensitive: caseSensitive, diacriticSensitive: diacriticSensitive)
        return QueryPredicate(
            condition: TextCondition(
                fields, .pattern(TextPattern(text, place: place, folding: folding))))
    }

    private static func fields<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>
    ) -> [TextField] {
        var fields: [TextField] = []
        repeat fields.append(TextField(each paths))
        return fields
    }
}

// MARK: - Words

extension QueryPredicate {
    /// Any of the properties shares a part of a word with the text: fuzzy search.
    ///
    /// Both are cut into tokens of three letters, digits or marks, without case and diacritics; a
    /// shorter word is a token by itself. One shared token is enough. A query with this
    /// condition puts the best matches first (Okapi BM25).
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, matches text: String
    ) -> Self {
        QueryPredicate(
            condition: TextCondition(fields(repeat each paths), .words(TextWords(text))))
    }
}

// MARK: - Regular expressions

extension QueryPredicate {
    /// The expression matches a part of any of the properties.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, matches expression: NSRegularExpression,
        options: NSRegularExpression.MatchingOptions = []
    ) -> Self {
        QueryPredicate(
            condition: TextCondition(
                fields(repeat each paths), .expression(TextExpression(expression, options))))
    }

    /// The expression matches no part of any of the properties.
    public static func string<each Value: TextProperty>(
        _ paths: repeat KeyPath<Entity, each Value>, notMatching expression: NSRegularExpression,
        options: NSRegularExpression.MatchingOptions = []
    ) -> Self {
        !string(repeat each paths, matches: expression, options: options)
    }

    /// The expression matches a part of any of the properties.
    ///
    /// Closures inside an expression, such as the transforms of its captures, are never run twice
    /// at the same time by one predicate, but on whatever thread resolves the query.
    public static func string<each Value: TextProperty, Output>(
        _ paths: repeat KeyPath<Entity, each Value>, matches expression: Regex<Output>
    ) -> Self {
        QueryPredicate(
            condition: TextCondition(
                fields(repeat each paths), .expression(TextExpression(expression))))
    }

    /// The expression matches no part of any of the properties.
    public static func string<each Value: TextProperty, Output>(
        _ paths: repeat KeyPath<Entity, each Value>, notMatching expression: Regex<Output>
    ) -> Self {
        !string(repeat each paths, matches: expression)
    }
}

extension QueryPredicate {
    /// A condition on text.
    @usableFromInline
    init(condition: TextCondition) {
        self.init(.text(condition)) { condition.matches($0) }
    }
}
