import SwiftDiagnostics
import SwiftSyntax

extension IndexDeclaration {
    func diagnostics() -> [Diagnostic] {
        faults.map(diagnostic) + staticDiagnostics()
    }

    /// What the paths cannot be about, as far as the entity's declaration tells.
    func diagnostics(in entity: EntityDeclaration) -> [Diagnostic] {
        paths.compactMap { path in
            if entity.relations.contains(where: { $0.name == path.property }) {
                return Misuse.indexOnRelation(name, relation: path.property).diagnostic(
                    at: path.syntax)
            }
            if let relation = entity.relation(readBy: path.property) {
                return Misuse.indexReadsRelation(
                    name, property: path.property, relation: relation
                ).diagnostic(at: path.syntax)
            }
            let named = entity.members.properties.first {
                $0.name == path.property && !$0.isStatic
            }
            guard let property = named else { return nil }
            if property.type?.holdsAssets == true {
                return Misuse.indexOnAsset(name, property: path.property).diagnostic(
                    at: path.syntax)
            }
            if property.isIdentity, property.type == nil,
                !entity.declaredRequirements.contains(.idAlias)
            {
                return Misuse.indexOnUntypedID(name).diagnostic(at: property.bindingSyntax.pattern)
            }
            return optionalityDiagnostic(path, of: property)
        }
    }

    private func optionalityDiagnostic(
        _ path: IndexPath, of property: PropertyDeclaration
    ) -> Diagnostic? {
        guard kind == .ordered, path.isDirect, property.type?.isOptional == true else { return nil }
        let written = path.syntax.trimmedDescription
        let direction = path.undirected == nil ? "" : ".desc"
        let replacement = written.dropLast(direction.count) + ".nilFirst" + direction
        return Misuse.indexOnOptional(path.property, replacement: String(replacement)).diagnostic(
            at: path.syntax, fixIts: [.replacing(path.syntax, with: String(replacement))])
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
