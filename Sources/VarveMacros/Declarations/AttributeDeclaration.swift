import SwiftSyntax

/// One attribute of a declaration, such as `@Relationship(.required)`.
struct AttributeDeclaration {
    /// The last component of the name: both `@Relationship` and `@VarveGraph.Relationship`.
    let name: String
    let arguments: LabeledExprListSyntax
    let syntax: AttributeSyntax

    init(_ attribute: AttributeSyntax) {
        let spelled = attribute.attributeName
        self.name =
            spelled.as(IdentifierTypeSyntax.self)?.name.text
            ?? spelled.as(MemberTypeSyntax.self)?.name.text
            ?? spelled.trimmedDescription
        self.arguments = attribute.arguments?.as(LabeledExprListSyntax.self) ?? []
        self.syntax = attribute
    }

    /// Wrappers are written with a capital, the language's own attributes are not. Of the
    /// capitals these do not wrap the value.
    var wrapsValue: Bool {
        guard let first = name.unicodeScalars.first, first.properties.isUppercase else {
            return false
        }
        return !KnownAttribute.markers.contains(name)
    }

    func argument(labeled label: String) -> ExprSyntax? {
        arguments.first { $0.label?.text == label }?.expression
    }
}

/// The attributes that mean something to the macros.
enum KnownAttribute {
    static let relationship = "Relationship"
    static let persistedName = "PersistedName"
    static let autoIncrement = "AutoIncrement"
    /// Those with a capital that do not wrap the value.
    static let markers: Set<String> = [persistedName, autoIncrement, "MainActor"]
    /// Index declarations of an entity: neither fields nor relations, and of size zero.
    static let indexes: Set<String> = ["Index", "HashIndex", "Unique", "FullTextIndex"]
}

extension AttributeListSyntax {
    /// Every attribute, those inside `#if` left out: what is persisted cannot depend on them.
    var declarations: [AttributeDeclaration] {
        compactMap { $0.as(AttributeSyntax.self).map(AttributeDeclaration.init) }
    }

    /// The `@available` attributes as written; an extension of a type needs them too.
    var availability: [String] {
        declarations.filter { $0.name == "available" }.map(\.syntax.trimmedDescription)
    }
}
