import SwiftDiagnostics
import SwiftSyntax

extension EntityDeclaration {
    /// Everything that is wrong with the declaration, in the order of the source as far as it goes.
    func diagnostics() -> [Diagnostic] {
        if let refusal = type.refusal(accepting: [.struct], as: Misuse.notAStruct) {
            return [refusal]
        }
        var found = type.diagnostics()
        if case .missing = identity {
            let insertion = FixIt.insertingID(in: type)
            found.append(
                Misuse.missingID(type.name).diagnostic(at: type.nameSyntax, fixIts: [insertion]))
        }
        found += members.diagnostics()
        for property in members.properties where property.isIdentity {
            found += property.identityDiagnostics() + visibilityDiagnostics(of: property)
        }
        found += numberingDiagnostics()
        for property in members.properties where property.isStatic {
            found += property.staticRelationDiagnostics()
        }
        found += members.functions.flatMap { $0.closedFunctionDiagnostics() }
        found += relations.flatMap { $0.diagnostics() } + sharedInverseDiagnostics()
        found += indexes.flatMap { $0.diagnostics() + $0.diagnostics(in: self) }
        return found + members.duplicateNames(takenBy: [(name: "id", owner: "id")])
    }

    /// The compiler's own error would point into the expansion.
    private func visibilityDiagnostics(of id: PropertyDeclaration) -> [Diagnostic] {
        guard let level = AccessLevel(id.declarationSyntax.modifiers),
            level == .private || level == .fileprivate && type.access > .fileprivate
        else { return [] }
        return [Misuse.wrongID(level.rawValue).diagnostic(at: id.bindingSyntax.pattern)]
    }

    /// Two relations whose other side would be the same. Types that are spelled differently are
    /// compared when they are first used.
    private func sharedInverseDiagnostics() -> [Diagnostic] {
        var owners: [String: String] = [:]
        return relations.compactMap { relation in
            guard case .mutual(let path) = relation.inverse, let type = relation.type else {
                return nil
            }
            let inverse = "\(type.element).\(path.relation)"
            guard let owner = owners[inverse] else {
                owners[inverse] = relation.name
                return nil
            }
            return Misuse.sharedInverse(inverse, of: owner, and: relation.name).diagnostic(
                at: relation.property.bindingSyntax.pattern)
        }
    }
}

extension PropertyDeclaration {
    fileprivate func identityDiagnostics() -> [Diagnostic] {
        if relationship != nil {
            return [Misuse.wrongID("a relation").diagnostic(at: bindingSyntax.pattern)]
        }
        if type?.holdsAssets == true {
            return [Misuse.wrongID("an asset").diagnostic(at: bindingSyntax.pattern)]
        }
        if case .given = persistedName {
            return [Misuse.wrongID("renamed").diagnostic(at: bindingSyntax.pattern)]
        }
        guard isFixed, initializer?.makesNewValues == true else { return [] }
        let specifier = declarationSyntax.bindingSpecifier
        return [
            Misuse.remadeID.diagnostic(
                at: specifier, fixIts: [.replacing(specifier, with: .var)])
        ]
    }

    fileprivate func staticRelationDiagnostics() -> [Diagnostic] {
        guard relationship != nil, let word = typeKeyword else { return [] }
        return [
            Misuse.relationIsStatic(name).diagnostic(
                at: bindingSyntax.pattern, fixIts: [.removing(word, from: declarationSyntax)])
        ]
    }
}

extension FunctionDeclSyntax {
    /// What an entity cannot declare in the library's stead, and what it declares instead.
    private static let closed = [
        "save(to:)": "'willSave(to:)' or 'didSave(to:)'",
        "save(to:options:)": "'willSave(to:)', 'didSave(to:)' or 'defaultMergeStrategy'",
        "delete(from:)": "'willDelete(from:)' or 'didDelete(from:)'",
        "static delete(id:from:)": "'willDelete(from:)' or 'didDelete(from:)'",
        "static nestedQueryModifier(_:nested:)": "'nestedQueryModifier(_:in:nested:)'",
    ]

    fileprivate func closedFunctionDiagnostics() -> [Diagnostic] {
        let types = signature.parameterClause.parameters.map(\.type.trimmedDescription)
        let isAboutEntities = types.contains {
            $0.hasPrefix("inout ") && $0.hasSuffix("Context") || $0.contains("Query<")
        }
        guard isAboutEntities, let instead = Self.closed[macroSignature] else { return [] }
        return [Misuse.closedFunction(macroSignature, instead: instead).diagnostic(at: name)]
    }
}

extension RelationDeclaration {
    fileprivate func diagnostics() -> [Diagnostic] {
        let pattern = property.bindingSyntax.pattern
        if property.isConstant {
            let specifier = property.declarationSyntax.bindingSpecifier
            return [
                Misuse.relationIsConstant(name).diagnostic(
                    at: specifier, fixIts: [.replacing(specifier, with: .var)])
            ]
        }
        if property.storage == .computed {
            return [Misuse.relationIsComputed(name).diagnostic(at: pattern)]
        }
        guard let type else { return [Misuse.relationWithoutType(name).diagnostic(at: pattern)] }
        return optionalityDiagnostics(type) + inverseDiagnostics() + orphanDiagnostics()
    }

    /// What goes when it leaves the list has to go with the list, too.
    private func orphanDiagnostics() -> [Diagnostic] {
        guard orphans?.hasSuffix("delete") == true, !deleteRule.hasSuffix("cascade"),
            let attribute = property.relationship
        else { return [] }
        return [Misuse.orphansWithoutCascade(name).diagnostic(at: attribute.syntax)]
    }

    private func optionalityDiagnostics(_ type: TypeSpelling) -> [Diagnostic] {
        if case .optional = type.optionality { return [] }
        let replacement = type.unwrapped + "?"
        return [
            Misuse.relationIsNotOptional(name, type: replacement).diagnostic(
                at: type.syntax, fixIts: [.replacing(type.syntax, with: replacement)])
        ]
    }

    private func inverseDiagnostics() -> [Diagnostic] {
        switch inverse {
        case .mutual: return []
        case .malformed(let expression):
            return [Misuse.malformedInverse(name).diagnostic(at: expression)]
        case .oneWay:
            // Without a value the compiler finds no initializer that fixes the wrapper's type.
            guard !hasArgumentList && !hasInitializer else { return [] }
            let binding = property.bindingSyntax
            return [
                Misuse.oneWayWithoutValue(name).diagnostic(
                    at: binding.pattern, fixIts: [.addingNil(to: binding)])
            ]
        }
    }
}
