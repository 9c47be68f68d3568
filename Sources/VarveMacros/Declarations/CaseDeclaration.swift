import SwiftSyntax

/// One case of an enum.
struct CaseDeclaration {
    struct Payload {
        /// The label without backticks; empty when there is none.
        let label: String
        let type: TypeSpelling
    }

    /// The name with backticks where the source needs them.
    let reference: String
    let name: String
    let payload: [Payload]
    let persistedName: PersistedName.Reading
    let isIndirect: Bool
    let nameSyntax: TokenSyntax

    var nameInLog: String {
        if case .given(let name) = persistedName { return name.text }
        return name
    }
}

extension CaseDeclaration {
    /// The cases that one `case` line declares.
    static func all(in declaration: EnumCaseDeclSyntax) -> [CaseDeclaration] {
        let persistedName =
            declaration.attributes.declarations
            .first { $0.name == KnownAttribute.persistedName }
            .map(PersistedName.read) ?? .absent
        let isIndirect = declaration.modifiers.isIndirect
        return declaration.elements.map { element in
            let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
            return CaseDeclaration(
                reference: element.name.text, name: element.name.bareText,
                payload: parameters.map(Payload.init), persistedName: persistedName,
                isIndirect: isIndirect, nameSyntax: element.name)
        }
    }
}

extension CaseDeclaration.Payload {
    fileprivate init(_ parameter: EnumCaseParameterSyntax) {
        let label = parameter.firstName?.bareText ?? "_"
        self.label = label == "_" ? "" : label
        self.type = TypeSpelling(parameter.type)
    }
}

extension DeclModifierListSyntax {
    var isIndirect: Bool { contains { $0.name.tokenKind == .keyword(.indirect) } }
}
