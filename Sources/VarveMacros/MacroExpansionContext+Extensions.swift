import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension MacroExpansionContext {
    /// Reports the diagnostics and, when none is an error, returns the emitted extension.
    func extensions(
        unless diagnostics: [Diagnostic], emitted: () -> String
    ) throws -> [ExtensionDeclSyntax] {
        for diagnostic in diagnostics { diagnose(diagnostic) }
        if diagnostics.contains(where: { $0.diagMessage.severity == .error }) { return [] }
        let source: DeclSyntax = "\(raw: emitted())"
        return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}
