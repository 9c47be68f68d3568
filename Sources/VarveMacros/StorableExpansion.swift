package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Storable` and `@Storable("PersistedName")`: lets a struct or an enum be stored in a field.
package enum StorableExpansion: ExtensionMacro {
    /// The expansion is written as it is to be read.
    package static let formatMode = FormatMode.disabled

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let request = ExtensionRequest(
            attribute: node, declaration: declaration, extendedType: type,
            conformances: protocols, surroundings: context.lexicalContext)
        guard let declared = DeclaredType(request) else { return [] }
        let storable = StorableDeclaration(declared)
        return try context.extensions(
            unless: storable.diagnostics(), emitted: storable.emitted)
    }
}
