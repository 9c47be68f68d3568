import SwiftSyntax

extension PropertyDeclaration {
    /// The properties that a declaration makes, one a binding; tuple patterns make none.
    static func all(in variable: VariableDeclSyntax) -> [PropertyDeclaration] {
        let attributes = variable.attributes.declarations
        let bindings = Array(variable.bindings)
        // In `var a, b: Int` the type behind b is a's too: read from the end.
        var properties: [PropertyDeclaration] = []
        var following: TypeSyntax?
        for binding in bindings.reversed() {
            if let annotation = binding.typeAnnotation {
                following = annotation.type
            } else if binding.initializer != nil {
                following = nil
            }
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
            properties.append(
                PropertyDeclaration(
                    name: pattern.identifier, type: following, attributes: attributes,
                    variable: variable, binding: binding))
        }
        return properties.reversed()
    }

    private init(
        name: TokenSyntax, type: TypeSyntax?, attributes: [AttributeDeclaration],
        variable: VariableDeclSyntax, binding: PatternBindingSyntax
    ) {
        self.reference = name.text
        self.name = name.bareText
        self.isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        self.typeKeyword = variable.modifiers.typeKeyword
        self.storage =
            binding.isComputed
            ? .computed : variable.modifiers.unusualStorage.map(Storage.unusual) ?? .stored
        self.type = type.map(TypeSpelling.init)
        self.initializer = binding.initializer.map { Initializer($0.value) }
        self.attributes = attributes
        self.persistedName =
            attributes.first { $0.name == KnownAttribute.persistedName }
            .map(PersistedName.read) ?? .absent
        self.declarationSyntax = variable
        self.bindingSyntax = binding
    }
}

extension PropertyDeclaration.Initializer {
    init(_ value: ExprSyntax) {
        self.text = value.trimmedDescription
        self.makesNewValues = Syntax(value).containsCall
    }
}

extension Syntax {
    /// Whether evaluating it calls something. What a closure would call later does not count.
    fileprivate var containsCall: Bool {
        if self.is(FunctionCallExprSyntax.self) || self.is(MacroExpansionExprSyntax.self) {
            return true
        }
        if self.is(ClosureExprSyntax.self) { return false }
        return children(viewMode: .sourceAccurate).contains { $0.containsCall }
    }
}

extension PatternBindingSyntax {
    /// Observers leave a property stored; any other accessor makes it computed.
    var isComputed: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        guard case .accessors(let list) = accessors else { return true }
        return list.contains {
            $0.accessorSpecifier.tokenKind != .keyword(.willSet)
                && $0.accessorSpecifier.tokenKind != .keyword(.didSet)
        }
    }
}

extension DeclModifierListSyntax {
    fileprivate var unusualStorage: String? {
        let words: [Keyword] = [.lazy, .weak, .unowned]
        return first { modifier in
            words.contains { modifier.name.tokenKind == .keyword($0) }
        }?.name.text
    }
}
