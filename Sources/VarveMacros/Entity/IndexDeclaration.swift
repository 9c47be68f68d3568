import SwiftSyntax

/// One index of an entity: `@Index`, `@HashIndex`, `@Unique` or `@FullTextIndex`.
struct IndexDeclaration {
    enum Kind: String {
        case ordered = "Index"
        case hash = "HashIndex"
        case unique = "Unique"
        case text = "FullTextIndex"
    }

    let name: String
    let kind: Kind
    let paths: [IndexPath]
    /// Source of the collision resolver; nil for the default.
    let collisions: String?
    let faults: [Fault]
    let attribute: AttributeDeclaration
    let property: PropertyDeclaration

    /// What is wrong with the arguments.
    enum Fault {
        case noPath
        case tooManyPaths
        case unknownLabel(LabeledExprSyntax)
        case notAPath(ExprSyntax)
    }

    static let pathLimit = 4

    var readsID: Bool { paths.contains { $0.property == "id" } }
}

extension IndexDeclaration {
    init?(_ property: PropertyDeclaration, in type: DeclaredType) {
        let kinds = property.attributes.lazy.compactMap { attribute in
            Kind(rawValue: attribute.name).map { ($0, attribute) }
        }
        guard let (kind, attribute) = kinds.first else { return nil }
        var paths: [IndexPath] = []
        var faults: [Fault] = []
        for argument in attribute.arguments {
            if let label = argument.label {
                let isKnown = kind == .unique && label.text == "collisions"
                if !isKnown { faults.append(.unknownLabel(argument)) }
            } else if let path = IndexPath(argument.expression, in: type) {
                paths.append(path)
            } else {
                faults.append(.notAPath(argument.expression))
            }
        }
        if paths.isEmpty && faults.isEmpty { faults.append(.noPath) }
        if paths.count > Self.pathLimit { faults.append(.tooManyPaths) }
        self.name = property.name
        self.kind = kind
        self.paths = paths
        self.collisions = attribute.argument(labeled: "collisions")?.trimmedDescription
        self.faults = faults
        self.attribute = attribute
        self.property = property
    }

    /// The call that describes the index.
    func emit(into source: inout SourceText) {
        let method =
            switch kind {
            case .ordered: "index"
            case .hash: "hashIndex"
            case .unique: "unique"
            case .text: "fullTextIndex"
            }
        source.line("_description.\(method)(")
        source.indented { source in
            source.line("\(name.asStringLiteral),")
            source.line("[")
            source.indented { source in
                for path in paths { source.line(component(path) + ",") }
            }
            source.line(collisions.map { "], collisions: \($0))" } ?? "])")
        }
    }

    private func component(_ path: IndexPath) -> String {
        switch kind {
        case .hash: return "\("_HashedProperty".inLibrary)(\(path.text))"
        case .unique: return "\("_UniqueProperty".inLibrary)(\(path.text))"
        case .text: return "\("_SearchedProperty".inLibrary)(\(path.text))"
        case .ordered:
            let property = "_OrderedProperty".inLibrary
            guard let undirected = path.undirected else {
                return "\(property)(\(path.text), reversed: \(path.text).desc)"
            }
            return "\(property)(\(undirected), descending: \(path.text),"
                + " reversed: \(path.text).desc)"
        }
    }
}
