import SwiftSyntax
import SwiftSyntaxMacros
import VarveMacros

// The compiler names a macro by the plugin's module and a type of it. What the macros do is a library, because SwiftPM
// builds tests that depend on a plugin, and all that they need, for the machine that compiles: a second time.

/// Every macro that the library declares, as the compiler asks for them: by type name.
enum ProvidedMacros {
    static var all: [any Macro.Type] {
        [
            EntityModelMacro.self, StorableMacro.self, PersistedNameMacro.self,
            AutoIncrementMacro.self,
        ]
    }
}

enum EntityModelMacro: ExtensionMacro, MemberMacro {
    static let formatMode = EntityModelExpansion.formatMode

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try EntityModelExpansion.expansion(
            of: node, attachedTo: declaration, providingExtensionsOf: type,
            conformingTo: protocols, in: context)
    }

    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try EntityModelExpansion.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
    }
}

enum StorableMacro: ExtensionMacro {
    static let formatMode = StorableExpansion.formatMode

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try StorableExpansion.expansion(
            of: node, attachedTo: declaration, providingExtensionsOf: type,
            conformingTo: protocols, in: context)
    }
}

enum PersistedNameMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try PersistedNameExpansion.expansion(
            of: node, providingPeersOf: declaration, in: context)
    }
}

enum AutoIncrementMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try AutoIncrementExpansion.expansion(
            of: node, providingPeersOf: declaration, in: context)
    }
}
