import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@EntityModel` and `@EntityModel("PersistedName")`: makes a struct an entity.
package enum EntityModelExpansion: ExtensionMacro {
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
        let entity = EntityDeclaration(declared)
        return try context.extensions(
            unless: entity.diagnostics(), emitted: entity.emitted)
    }
}

extension EntityModelExpansion: MemberMacro {
    /// The initializer without an id, of an entity whose ids the store gives.
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // Most entities bring their ids themselves, and are not looked at any further.
        let isNumbered = declaration.memberBlock.members.contains { item in
            item.decl.as(VariableDeclSyntax.self)?.attributes.declarations
                .contains { $0.name == KnownAttribute.autoIncrement } ?? false
        }
        guard isNumbered, let named = declaration.asProtocol((any NamedDeclSyntax).self) else {
            return []
        }
        let request = ExtensionRequest(
            attribute: node, declaration: declaration,
            extendedType: IdentifierTypeSyntax(name: named.name.trimmed), conformances: [],
            surroundings: context.lexicalContext)
        guard let declared = DeclaredType(request) else { return [] }
        let entity = EntityDeclaration(declared)
        // What is wrong is reported with the extension.
        guard !entity.diagnostics().contains(where: { $0.diagMessage.severity == .error }),
            let initializer = entity.emittedInitializer()
        else { return [] }
        return ["\(raw: initializer)"]
    }
}
