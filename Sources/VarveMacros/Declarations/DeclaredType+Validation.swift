import SwiftDiagnostics
import SwiftSyntax

extension DeclaredType {
    /// The one diagnostic of a declaration of the wrong kind; nil when the kind is accepted.
    func refusal(accepting keywords: Set<Keyword>, as misuse: (String) -> Misuse) -> Diagnostic? {
        if keywords.contains(keyword) { return nil }
        let canBeStruct = keyword != .protocol
        return misuse(keyword.rawValue).diagnostic(
            at: keywordSyntax,
            fixIts: canBeStruct ? [.replacing(keywordSyntax, with: .struct)] : [])
    }

    /// What is wrong with the place, the access and the name of the type.
    func diagnostics() -> [Diagnostic] {
        var found: [Diagnostic] = []
        if isLocal { found.append(Misuse.localType(name).diagnostic(at: nameSyntax)) }
        if isNested, !isLocal, statedAccess == .private {
            let word = modifiersSyntax.first { $0.name.tokenKind == .keyword(.private) }
            let fixIts = word.map { [FixIt.replacing($0.name, with: .fileprivate)] } ?? []
            found.append(Misuse.privateNestedType(name).diagnostic(at: nameSyntax, fixIts: fixIts))
        }
        if case .malformed(let attribute) = persistedName {
            found.append(Misuse.malformedName.diagnostic(at: attribute))
        }
        return found
    }
}
