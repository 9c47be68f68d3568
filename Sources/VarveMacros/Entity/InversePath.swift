import SwiftSyntax

/// The relation on the other side: `\.messages` or `\Schema.V1.Chat.messages`.
struct InversePath {
    /// The type that the path names; nil when it leaves it to the relation's own type.
    let root: String?
    /// The relation's name, without the `$` of its projection.
    let relation: String
}

extension InversePath {
    /// Nil when the expression is no key path to one relation.
    init?(_ expression: ExprSyntax) {
        guard let path = expression.as(KeyPathExprSyntax.self) else { return nil }
        var names: [String] = []
        for component in path.components {
            guard let property = component.component.as(KeyPathPropertyComponentSyntax.self) else {
                return nil
            }
            // A generic type inside the root parses as a component with arguments.
            names.append(property.trimmedDescription)
        }
        guard let last = names.popLast(), last != "self", !last.contains("<") else { return nil }
        // The parser takes the first name of `\Schema.V1.Chat.messages` for the type and all
        // others for properties, but only the last can be one.
        let types = [path.root?.trimmedDescription].compactMap { $0 } + names
        if path.root == nil && !types.isEmpty { return nil }
        self.root = types.isEmpty ? nil : types.joined(separator: ".")
        let bare = last.hasPrefix("$") ? String(last.dropFirst()) : last
        self.relation = bare.filter { $0 != "`" }
    }
}
