import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@PersistedName("x")`: read by the macro on the type; by itself it only checks its place.
package enum PersistedNameExpansion: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let attribute = AttributeDeclaration(node)
        if let misuse = misuse(of: attribute, on: DeclSyntax(declaration)) {
            context.diagnose(misuse.diagnostic(at: node))
        }
        return []
    }

    private static func misuse(
        of attribute: AttributeDeclaration, on declaration: DeclSyntax
    ) -> Misuse? {
        guard case .given = PersistedName.read(from: attribute) else { return .malformedName }
        if let line = declaration.as(EnumCaseDeclSyntax.self) {
            return line.elements.count == 1 ? nil : .nameForSeveralCases
        }
        guard let variable = declaration.as(VariableDeclSyntax.self) else {
            return .nameWithoutProperty
        }
        let isPersisted = PropertyDeclaration.all(in: variable).contains { property in
            property.isStoredField || (property.relationship != nil && !property.isStatic)
        }
        return isPersisted ? nil : .nameWithoutProperty
    }
}
