import SwiftDiagnostics
import SwiftSyntax

extension StorableDeclaration {
    /// Everything that is wrong with the declaration.
    func diagnostics() -> [Diagnostic] {
        if let refusal = type.refusal(accepting: [.struct, .enum], as: Misuse.notStorable) {
            return [refusal]
        }
        var found = type.diagnostics() + members.diagnostics() + relationDiagnostics()
        switch shape {
        case .structure(let fields):
            found += fields.compactMap(\.type).compactMap(recursionDiagnostic)
        case .enumeration(let cases):
            if cases.isEmpty && members.conditionalMembers.isEmpty {
                found.append(Misuse.noCases(type.name).diagnostic(at: type.nameSyntax))
            }
            found += recursionDiagnostics(of: cases)
        }
        return found + members.duplicateNames(takenBy: [])
    }

    private func relationDiagnostics() -> [Diagnostic] {
        members.properties.compactMap { property in
            guard !property.isStatic, let relation = property.relationship else { return nil }
            return Misuse.unknownWrapper(property.name, wrapper: relation.name).diagnostic(
                at: relation.syntax, fixIts: [.removing(relation, from: property.declarationSyntax)]
            )
        }
    }

    private func recursionDiagnostics(of cases: [CaseDeclaration]) -> [Diagnostic] {
        // `indirect` serves recursion only, also where it leads through another type.
        if type.modifiersSyntax.isIndirect {
            return [Misuse.recursiveType(type.name).diagnostic(at: type.nameSyntax)]
        }
        return cases.compactMap { enumCase in
            if enumCase.isIndirect {
                return Misuse.recursiveType(type.name).diagnostic(at: enumCase.nameSyntax)
            }
            return enumCase.payload.lazy.map(\.type).compactMap(recursionDiagnostic).first
        }
    }

    /// A description of a type that holds itself would not end. Where two types hold each other
    /// no macro can see it.
    private func recursionDiagnostic(of member: TypeSpelling) -> Diagnostic? {
        let names = member.mentionedNames
        guard names.contains(type.name) || names.contains("Self") else { return nil }
        return Misuse.recursiveType(type.name).diagnostic(at: member.syntax)
    }
}
