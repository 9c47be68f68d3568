import SwiftSyntax

/// The key path of one property of an index: `\.age`, `\Self.address.city` or `\User.name.desc`.
struct IndexPath {
    /// Source of the path, from `Self` wherever it names the entity.
    let text: String
    /// Source of the path without a trailing `.desc`; nil where it has none.
    let undirected: String?
    /// The name of the property that the path starts with, without `$`.
    let property: String
    /// Whether the path ends there, but for a direction.
    let isDirect: Bool
    let syntax: KeyPathExprSyntax
}

extension IndexPath {
    /// Nil when the expression is no key path literal to a property.
    init?(_ expression: ExprSyntax, in type: DeclaredType) {
        guard let path = expression.as(KeyPathExprSyntax.self), !path.components.isEmpty else {
            return nil
        }
        var components = path.components.map(\.trimmedDescription)
        var root = path.root?.trimmedDescription ?? "Self"
        if let length = type.nameLength(in: [root] + components) {
            root = "Self"
            components.removeFirst(length - 1)
        }
        guard let last = components.last else { return nil }
        let prefix = "\\" + root
        text = prefix + components.joined()
        // An entity's own property may be called `desc`.
        let isDirected = last == ".desc" && components.count > 1
        undirected = isDirected ? prefix + components.dropLast().joined() : nil
        property = components[0].filter { !".$`?!".contains($0) }
        isDirect = components[0].last != "?" && components.count == (isDirected ? 2 : 1)
        syntax = path
    }
}

extension DeclaredType {
    /// How many of a path's first names are those of the type, `Schema.V1.User` or `User`; nil
    /// where the path starts with something else.
    fileprivate func nameLength(in path: [String]) -> Int? {
        // A component is written with its dot, a generic type with its arguments.
        let names = path.map { name in
            String((name.hasPrefix(".") ? name.dropFirst() : name[...]).prefix { $0 != "<" })
        }
        let full = enclosingNames + [name]
        let lengths = (1...full.count).reversed()
        return lengths.first { names.count > $0 && Array(names.prefix($0)) == full.suffix($0) }
    }
}
