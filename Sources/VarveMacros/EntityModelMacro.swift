import SwiftSyntax
import SwiftSyntaxMacros

/// `@EntityModel` and `@EntityModel("PersistedName")`: makes a struct an entity.
enum EntityModelMacro: ExtensionMacro {
    /// The expansion is written as it is to be read.
    static let formatMode = FormatMode.disabled

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let request = ExtensionRequest(
            attribute: node, declaration: declaration, extendedType: type,
            conformances: protocols, surroundings: context.lexicalContext)
        guard let declared = DeclaredType(request) else { return [] }
        let entity = EntityDeclaration(declared)
        return try context.extensions(
            unless: entity.diagnostics(), emitted: entity.emitted)
    }
}
