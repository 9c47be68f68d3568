import SwiftSyntax

/// A type as the source spells it, taken apart as far as spelling alone allows.
struct TypeSpelling {
    enum Optionality {
        case none
        /// `T?`, `Optional<T>`
        case optional
        /// `T!`
        case implicitlyUnwrapped
    }

    let text: String
    let optionality: Optionality
    /// The type without its optionality.
    let unwrapped: String
    /// The type without its optionality and without the array around it: `User` of `[User]?`.
    let element: String
    let isArray: Bool
    /// Every simple name that the type mentions, so that a type that holds itself is found.
    let mentionedNames: Set<String>
    /// Whether it mentions `Asset<T>`. A type of the app's own that is called so has no argument.
    let holdsAssets: Bool
    let syntax: TypeSyntax

    /// The type with an optional in place of an implicitly unwrapped one: what a local constant
    /// or a key path of such a property has.
    var storedText: String {
        if case .implicitlyUnwrapped = optionality { return unwrapped + "?" }
        return text
    }

    /// The expression that is the type itself.
    var metatype: String {
        let type = storedText
        let isPrimary = !type.hasSuffix("?") && !type.contains { "-&".contains($0) }
        let isBare = isPrimary && !type.hasPrefix("any ")
        return isBare ? type + ".self" : "(\(type)).self"
    }

    var isOptional: Bool {
        if case .none = optionality { return false }
        return true
    }
}

extension TypeSpelling {
    init(_ type: TypeSyntax) {
        let bare = type.withoutParentheses
        var inside = bare
        var optionality = Optionality.none
        if let optional = bare.as(OptionalTypeSyntax.self) {
            (inside, optionality) = (optional.wrappedType, .optional)
        } else if let forced = bare.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            (inside, optionality) = (forced.wrappedType, .implicitlyUnwrapped)
        } else if let argument = bare.soleArgument(ofGeneric: "Optional") {
            (inside, optionality) = (argument, .optional)
        }
        let unwrapped = inside.withoutParentheses
        let arrayElement =
            unwrapped.as(ArrayTypeSyntax.self)?.element
            ?? unwrapped.soleArgument(ofGeneric: "Array")

        self.text = type.trimmedDescription
        self.optionality = optionality
        self.unwrapped = inside.trimmedDescription
        self.element = (arrayElement?.withoutParentheses ?? unwrapped).trimmedDescription
        self.isArray = arrayElement != nil
        self.mentionedNames = type.mentionedNames
        self.holdsAssets = type.holdsAssets
        self.syntax = type
    }
}

extension TypeSyntax {
    /// `(T)` means T.
    fileprivate var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let element = tuple.elements.first, element.firstName == nil
        else { return self }
        return element.type.withoutParentheses
    }

    /// T of `name<T>` and of `Swift.name<T>`.
    fileprivate func soleArgument(ofGeneric name: String) -> TypeSyntax? {
        var arguments: GenericArgumentListSyntax?
        if let identifier = self.as(IdentifierTypeSyntax.self), identifier.name.text == name {
            arguments = identifier.genericArgumentClause?.arguments
        } else if let member = self.as(MemberTypeSyntax.self), member.name.text == name,
            member.baseType.trimmedDescription == "Swift"
        {
            arguments = member.genericArgumentClause?.arguments
        }
        guard let arguments, arguments.count == 1, let argument = arguments.first else {
            return nil
        }
        // Since Swift 6.2 an argument may be a value, which no optional or array has.
        return TypeSyntax(argument.argument)
    }

    fileprivate var holdsAssets: Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            guard token.text == "Asset", let parent = token.parent else { return false }
            let arguments =
                parent.as(IdentifierTypeSyntax.self)?.genericArgumentClause
                ?? parent.as(MemberTypeSyntax.self)?.genericArgumentClause
            return arguments?.arguments.count == 1
        }
    }

    fileprivate var mentionedNames: Set<String> {
        var names: Set<String> = []
        for token in tokens(viewMode: .sourceAccurate) {
            guard let type = token.parent?.as(IdentifierTypeSyntax.self) else { continue }
            names.insert(type.name.bareText)
        }
        return names
    }
}

extension TokenSyntax {
    /// The identifier without the backticks that some names need.
    var bareText: String { identifier?.name ?? text }
}
