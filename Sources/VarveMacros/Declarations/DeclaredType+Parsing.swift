import SwiftSyntax
import SwiftSyntaxMacros

/// What the compiler hands to an extension macro.
struct ExtensionRequest {
    let attribute: AttributeSyntax
    let declaration: any DeclGroupSyntax
    let extendedType: any TypeSyntaxProtocol
    let conformances: [TypeSyntax]
    /// The declarations around the type, innermost first.
    let surroundings: [Syntax]
}

extension DeclaredType {
    /// Nil when the macro is attached to something that is no type declaration; the compiler
    /// itself refuses that.
    init?(_ request: ExtensionRequest) {
        guard let shape = TypeShape(request.declaration) else { return nil }
        let parents = request.surroundings.map(Surrounding.init)
        let parameters =
            parents.reversed().flatMap(\.genericParameters)
            + shape.genericParameters.map(\.name.text)

        self.keyword = shape.keyword
        self.name = shape.name.bareText
        self.reference = request.extendedType.trimmedDescription
        self.enclosingNames = parents.reversed().flatMap(\.names)
        self.statedAccess = AccessLevel(request.declaration.modifiers)
        self.access = Self.access(of: request.declaration, inside: parents)
        self.availability =
            request.declaration.attributes.availability + parents.flatMap(\.availability)
        self.genericParameters = parameters
        self.staticStorage =
            parameters.isEmpty && !parents.contains(where: \.showsGeneric) ? .allowed : .notAllowed
        self.isNested = !parents.isEmpty
        self.isLocal = parents.contains(where: \.isCode)
        self.needsConformance = !request.conformances.isEmpty
        self.persistedName = PersistedName.read(from: AttributeDeclaration(request.attribute))
        self.keywordSyntax = shape.introducer
        self.nameSyntax = shape.name
        self.modifiersSyntax = request.declaration.modifiers
        self.membersSyntax = request.declaration.memberBlock
    }

    /// The level that the type effectively has: a public type inside an internal one cannot have
    /// public members that mention it. What an extension extends counts as visible enough.
    private static func access(
        of declaration: any DeclGroupSyntax, inside parents: [Surrounding]
    ) -> AccessLevel {
        var around = AccessLevel.public
        var byDefault = AccessLevel.internal
        for parent in parents.reversed() {
            if parent.isExtension {
                byDefault = parent.statedAccess ?? .internal
            } else {
                around = min(around, parent.statedAccess ?? byDefault)
                byDefault = .internal
            }
        }
        return min(around, AccessLevel(declaration.modifiers) ?? byDefault)
    }
}

/// The parts that all kinds of type declarations have.
private struct TypeShape {
    let keyword: DeclaredType.Keyword
    let introducer: TokenSyntax
    let name: TokenSyntax
    let genericParameters: [GenericParameterSyntax]

    init?(_ declaration: any DeclGroupSyntax) {
        guard let named = declaration.asProtocol((any NamedDeclSyntax).self),
            let keyword = DeclaredType.Keyword(rawValue: declaration.introducer.text)
        else { return nil }
        let generic = declaration.asProtocol((any WithGenericParametersSyntax).self)
        self.keyword = keyword
        self.introducer = declaration.introducer
        self.name = named.name
        self.genericParameters = generic?.genericParameterClause.map { Array($0.parameters) } ?? []
    }
}

/// One declaration around the type.
private struct Surrounding {
    var names: [String] = []
    var genericParameters: [String] = []
    var availability: [String] = []
    /// For an extension the level of its members that state none: a member of
    /// `public extension Schema` is public without saying so.
    var statedAccess: AccessLevel?
    var isExtension = false
    /// An extension that binds the arguments of a generic type.
    var showsGeneric = false
    /// Neither a type nor an extension: a function, closure or accessor.
    var isCode = false

    init(_ syntax: Syntax) {
        guard let group = syntax.asProtocol((any DeclGroupSyntax).self) else {
            isCode = true
            return
        }
        availability = group.attributes.availability
        statedAccess = AccessLevel(group.modifiers)
        if let `extension` = group.as(ExtensionDeclSyntax.self) {
            let extended = `extension`.extendedType.trimmedDescription
            names = extended.prefix { $0 != "<" }.split(separator: ".").map(String.init)
            isExtension = true
            showsGeneric = extended.contains("<") || `extension`.genericWhereClause != nil
        } else if let shape = TypeShape(group) {
            names = [shape.name.bareText]
            genericParameters = shape.genericParameters.map(\.name.text)
        }
    }
}
