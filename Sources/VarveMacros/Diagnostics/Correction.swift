import SwiftDiagnostics
import SwiftSyntax

/// What a fix-it offers to do.
struct Correction: FixItMessage {
    let name: String
    let message: String

    var fixItID: MessageID { MessageID(domain: "Varve", id: name) }
}

extension FixIt {
    /// Writes one word in place of another, such as `struct` for `class`.
    static func replacing(_ token: TokenSyntax, with keyword: Keyword) -> FixIt {
        let word = TokenSyntax.keyword(
            keyword, leadingTrivia: token.leadingTrivia, trailingTrivia: token.trailingTrivia)
        return .replace(
            message: Correction(
                name: "replaceWord", message: "replace '\(token.text)' with '\(word.text)'"),
            oldNode: token, newNode: word)
    }

    /// Writes `replacement` in place of a type.
    static func replacing(_ type: TypeSyntax, with replacement: String) -> FixIt {
        let name = IdentifierTypeSyntax(
            leadingTrivia: type.leadingTrivia, name: .identifier(replacement),
            trailingTrivia: type.trailingTrivia)
        return .replace(
            message: Correction(name: "replaceType", message: "write '\(replacement)'"),
            oldNode: type, newNode: TypeSyntax(name))
    }

    /// Writes `replacement` in place of a key path.
    static func replacing(_ path: KeyPathExprSyntax, with replacement: String) -> FixIt {
        let name = DeclReferenceExprSyntax(
            leadingTrivia: path.leadingTrivia, baseName: .identifier(replacement),
            trailingTrivia: path.trailingTrivia)
        return .replace(
            message: Correction(name: "replacePath", message: "write '\(replacement)'"),
            oldNode: path, newNode: name)
    }

    /// Gives a property the value nil.
    static func addingNil(to binding: PatternBindingSyntax) -> FixIt {
        let value = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
            value: NilLiteralExprSyntax(), trailingTrivia: binding.trailingTrivia)
        let bare = binding.with(\.trailingTrivia, [])
        return .replace(
            message: Correction(name: "addNil", message: "add '= nil'"),
            oldNode: binding, newNode: bare.with(\.initializer, value))
    }

    /// Removes one modifier of a property.
    static func removing(_ word: String, from variable: VariableDeclSyntax) -> FixIt {
        var changed = variable
        // Only the bare word: the leading trivia of a first modifier is the declaration's.
        changed.modifiers = variable.modifiers.filter { $0.name.text != word }
        changed.leadingTrivia = variable.leadingTrivia
        return .replace(
            message: Correction(name: "removeModifier", message: "remove '\(word)'"),
            oldNode: variable, newNode: changed)
    }

    /// Makes a constant a constant of the type.
    static func makingStatic(_ variable: VariableDeclSyntax) -> FixIt {
        let token = variable.bindingSpecifier
        let words = TokenSyntax.identifier(
            "static let", leadingTrivia: token.leadingTrivia, trailingTrivia: token.trailingTrivia)
        return .replace(
            message: Correction(name: "makeStatic", message: "replace 'let' with 'static let'"),
            oldNode: token, newNode: words)
    }

    /// Removes one attribute of a property.
    static func removing(
        _ attribute: AttributeDeclaration, from variable: VariableDeclSyntax
    ) -> FixIt {
        var changed = variable
        changed.attributes = variable.attributes.filter { element in
            element.as(AttributeSyntax.self) != attribute.syntax
        }
        changed.leadingTrivia = variable.leadingTrivia
        return .replace(
            message: Correction(
                name: "removeAttribute", message: "remove '@\(attribute.name)'"),
            oldNode: variable, newNode: changed)
    }
}
