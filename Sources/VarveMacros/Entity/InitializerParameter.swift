import SwiftSyntax

/// One parameter of a memberwise initializer.
struct InitializerParameter {
    let name: String
    let reference: String
    /// Nil where the source does not say it.
    let type: String?
    let value: String?
    /// What sets the property.
    let assignment: String
    let syntax: PatternSyntax
}

extension InitializerParameter {
    init(_ property: PropertyDeclaration, type: String?, value: String?) {
        self.init(
            name: property.name, reference: property.reference, type: type, value: value,
            assignment: "self.\(property.reference) = \(property.reference)",
            syntax: property.bindingSyntax.pattern)
    }

    /// A relation takes what it takes in a memberwise initializer: its wrapper or, where it has a value, a relation.
    init(_ relation: RelationDeclaration, _ property: PropertyDeclaration) {
        let setsValue = relation.hasInitializer
        let name = property.reference
        self.init(
            name: property.name, reference: name,
            type: relation.typeText(setsValue ? "Relation" : "Relationship").map {
                setsValue ? $0 + "?" : $0
            },
            value: setsValue ? "nil" : ".none",
            assignment: setsValue
                ? "if let \(name) { self.\(relation.projection) = \(name) }"
                : "self.\(relation.wrapper) = \(name)",
            syntax: property.bindingSyntax.pattern)
    }
}

extension RelationDeclaration {
    /// The type of the wrapper, or of the relation in it.
    fileprivate func typeText(_ kind: String) -> String? {
        guard let type else { return nil }
        let relations = "Relations".inLibrary
        let direction = if case .oneWay = inverse { "OneWay" } else { "Mutual" }
        let constraint = property.relationship?.arguments.first { $0.label == nil }?
            .expression.trimmedDescription
        let isRequired = type.isArray || constraint?.hasSuffix("required") == true
        return "\(kind.inLibrary)<\(type.element), \(relations).\(direction), "
            + "\(relations).\(type.isArray ? "ToMany" : "ToOne")<\(type.element)>, "
            + "\(relations).\(isRequired ? "Required" : "Optional")>"
    }
}

extension PropertyDeclaration {
    /// The type of a value that shows it by itself.
    var inferredType: String? {
        guard var value = bindingSyntax.initializer?.value else { return nil }
        if let signed = value.as(PrefixOperatorExprSyntax.self) { value = signed.expression }
        if value.is(BooleanLiteralExprSyntax.self) { return "Swift.Bool" }
        if value.is(IntegerLiteralExprSyntax.self) { return "Swift.Int" }
        if value.is(FloatLiteralExprSyntax.self) { return "Swift.Double" }
        if value.is(StringLiteralExprSyntax.self) { return "Swift.String" }
        guard let called = value.as(FunctionCallExprSyntax.self)?.calledExpression else {
            return nil
        }
        let name =
            called.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? called.as(GenericSpecializationExprSyntax.self)?.expression.trimmedDescription
            ?? called.as(ArrayExprSyntax.self).map { _ in "A" }
        guard let first = name?.first, first.isUppercase else { return nil }
        return called.trimmedDescription
    }
}

extension TypeSpelling {
    /// As a parameter of this type is written.
    var parameterText: String {
        syntax.is(FunctionTypeSyntax.self) ? "@escaping \(storedText)" : storedText
    }
}
