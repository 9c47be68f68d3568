import SwiftSyntax

/// One `@Relationship` of an entity.
struct RelationDeclaration {
    enum Inverse {
        case oneWay
        case mutual(InversePath)
        case malformed(ExprSyntax)
    }

    let name: String
    let nameInLog: String
    let type: TypeSpelling?
    let inverse: Inverse
    /// Source of the delete rule.
    let deleteRule: String
    /// Source of what becomes of orphans; nil where it is not said.
    let orphans: String?
    /// `@Relationship(…)`, also with nothing in the parentheses, makes the wrapper itself.
    let hasArgumentList: Bool
    let hasInitializer: Bool
    let property: PropertyDeclaration

    /// Whether the wrapper that the declaration makes says nothing: so it is with every initializer of the library
    /// that takes no value.
    var startsEmpty: Bool { hasArgumentList && !hasInitializer }

    /// The property that holds the `Relation`.
    var projection: String { "$" + name }
    /// The property that holds the wrapper.
    var wrapper: String { "_" + name }

    /// The key path to the other side's projection; nil for a one-way relation.
    var inverseProjection: String? {
        guard case .mutual(let path) = inverse else { return nil }
        // The relation's own type says which type the path starts from. The expansion stands at file
        // scope, where the name of a type beside a nested entity would not be found.
        return "\\.$\(path.relation)"
    }
}

extension RelationDeclaration {
    init(_ property: PropertyDeclaration, relationship: AttributeDeclaration) {
        self.name = property.name
        self.nameInLog = property.nameInLog
        self.type = property.type
        if let expression = relationship.argument(labeled: "inverse") {
            self.inverse = InversePath(expression).map(Inverse.mutual) ?? .malformed(expression)
        } else {
            self.inverse = .oneWay
        }
        self.deleteRule =
            relationship.argument(labeled: "deleteRule")?.trimmedDescription ?? ".nullify"
        self.orphans = relationship.argument(labeled: "orphans")?.trimmedDescription
        self.hasArgumentList = relationship.syntax.leftParen != nil
        self.hasInitializer =
            property.initializer != nil || relationship.argument(labeled: "wrappedValue") != nil
        self.property = property
    }
}
