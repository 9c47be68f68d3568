import SwiftDiagnostics
import SwiftSyntax

extension IndexDeclaration {
    func diagnostics() -> [Diagnostic] {
        faults.map(diagnostic) + staticDiagnostics()
    }

    private func diagnostic(of fault: Fault) -> Diagnostic {
        let wrapper = kind.rawValue
        switch fault {
        case .noPath:
            return Misuse.indexWithoutPath(name, wrapper: wrapper).diagnostic(at: attribute.syntax)
        case .tooManyPaths:
            return Misuse.indexTooWide(name, limit: Self.pathLimit).diagnostic(
                at: attribute.syntax)
        case .unknownLabel(let argument):
            let label = argument.label?.text ?? ""
            return Misuse.unknownIndexArgument(label, wrapper: wrapper).diagnostic(at: argument)
        case .notAPath(let expression):
            return Misuse.malformedIndexPath(name).diagnostic(at: expression)
        }
    }

    private func staticDiagnostics() -> [Diagnostic] {
        guard let word = property.typeKeyword else { return [] }
        return [
            Misuse.indexIsStatic.diagnostic(
                at: property.bindingSyntax.pattern,
                fixIts: [.removing(word, from: property.declarationSyntax)])
        ]
    }
}
