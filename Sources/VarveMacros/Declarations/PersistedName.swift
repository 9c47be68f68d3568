import SwiftSyntax

/// A name that the source gives for the persisted form, as the one unlabeled string argument of
/// `@EntityModel("…")`, `@Storable("…")` or `@PersistedName("…")`.
struct PersistedName {
    let text: String
    let syntax: AttributeSyntax

    enum Reading {
        /// The attribute has no argument.
        case absent
        case given(PersistedName)
        /// The name is empty, or is not a plain literal: it must be readable without running code.
        case malformed(AttributeSyntax)
    }

    static func read(from attribute: AttributeDeclaration) -> Reading {
        guard let argument = attribute.arguments.first else { return .absent }
        guard let literal = argument.expression.as(StringLiteralExprSyntax.self),
            literal.segments.count == 1, literal.openingPounds == nil,
            let segment = literal.segments.first?.as(StringSegmentSyntax.self),
            !segment.content.text.isEmpty, !segment.content.text.contains("\\")
        else { return .malformed(attribute.syntax) }
        return .given(PersistedName(text: segment.content.text, syntax: attribute.syntax))
    }
}
