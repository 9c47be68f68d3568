package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@AutoIncrement`: read by the macro on the type; by itself it only checks that there is one.
package enum AutoIncrementExpansion: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let isInEntity = context.lexicalContext.first
            .flatMap { $0.asProtocol((any DeclGroupSyntax).self) }
            .map { $0.attributes.declarations.contains { $0.name == "EntityModel" } }
        if isInEntity != true || !declaration.is(VariableDeclSyntax.self) {
            context.diagnose(Misuse.numberedOutside.diagnostic(at: node))
        }
        return []
    }
}
