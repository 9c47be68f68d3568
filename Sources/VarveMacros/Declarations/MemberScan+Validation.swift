import SwiftDiagnostics
import SwiftSyntax

extension MemberScan {
    /// Members that would silently not be persisted.
    func diagnostics() -> [Diagnostic] {
        var found = properties.filter { !$0.isStatic }.flatMap { $0.storageDiagnostics() }
        found += tuplePatterns.map { pattern in
            let split = FixIt.splitting(pattern)
            return Misuse.tuplePattern.diagnostic(
                at: pattern.bindingSyntax.pattern, fixIts: split.map { [$0] } ?? [])
        }
        found += conditionalMembers.map { member in
            Misuse.conditionalMember(member.name).diagnostic(at: member.syntax)
        }
        found += conditionalIndexes.map { index in
            Misuse.conditionalIndex(index.name).diagnostic(at: index.syntax)
        }
        return found
    }

    /// Two properties, or two cases, under one persisted name.
    func duplicateNames(takenBy reserved: [(name: String, owner: String)]) -> [Diagnostic] {
        var owners = Dictionary(
            reserved.map { ($0.name, $0.owner) }, uniquingKeysWith: { first, _ in first })
        var found: [Diagnostic] = []
        func take(_ nameInLog: String, for name: String, at node: some SyntaxProtocol) {
            if let owner = owners[nameInLog] {
                // The property for which the name is reserved.
                if owner == name { return }
                found.append(Misuse.duplicateName(nameInLog, of: owner).diagnostic(at: node))
            } else {
                owners[nameInLog] = name
            }
        }
        for property in properties where property.isPersisted {
            take(property.nameInLog, for: property.name, at: property.bindingSyntax.pattern)
        }
        for enumCase in cases {
            take(enumCase.nameInLog, for: enumCase.name, at: enumCase.nameSyntax)
        }
        return found
    }
}

extension PropertyDeclaration {
    /// A field or a relation.
    fileprivate var isPersisted: Bool {
        isStoredField || (relationship != nil && !isStatic)
    }

    /// Why the property would not be persisted though its declaration looks as if it were.
    fileprivate func storageDiagnostics() -> [Diagnostic] {
        let pattern = bindingSyntax.pattern
        if case .unusual(let word) = storage {
            return [
                Misuse.unusualStorage(name, word: word).diagnostic(
                    at: pattern, fixIts: [.removing(word, from: declarationSyntax)])
            ]
        }
        if storage == .stored, let wrapper = unknownWrapper {
            return [
                Misuse.unknownWrapper(name, wrapper: wrapper.name).diagnostic(
                    at: wrapper.syntax, fixIts: [.removing(wrapper, from: declarationSyntax)])
            ]
        }
        // An id of this kind is an error of its own.
        guard isFixed, name != "id", initializer?.makesNewValues == true else { return [] }
        return [
            Misuse.remadeConstant(name).diagnostic(
                at: pattern,
                fixIts: [
                    .replacing(declarationSyntax.bindingSpecifier, with: .var),
                    .makingStatic(declarationSyntax),
                ])
        ]
    }
}
