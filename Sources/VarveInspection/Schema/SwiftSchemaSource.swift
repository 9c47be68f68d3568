internal import VarveText

extension InspectedSchema {
    /// Swift source that declares the entities of the store, so that a program which compiles it opens the store.
    ///
    /// Raw values become structs, because a log does not list the cases of an enumeration that has any; `Codable`
    /// types become JSON documents. What Swift cannot name is left out, and named in a comment.
    public var swiftSource: String { SwiftSchemaSource(self).text }
}

/// Writes the entities of a schema in Swift.
struct SwiftSchemaSource {
    private let schema: InspectedSchema
    private let entities: [InspectedType]
    private let leftOut: [InspectedType]
    /// By the name in the log.
    private var names: [String: String] = [:]
    private let types: SwiftNamedTypes

    init(_ schema: InspectedSchema) {
        self.schema = schema
        func isNameable(_ type: InspectedType) -> Bool {
            SwiftIdentifiers.isName(type.name) || type.name.plainSwiftLiteral != nil
        }
        entities = schema.entities.filter(isNameable)
        leftOut = schema.entities.filter { !isNameable($0) }
        var taken: Set<String> = []
        for type in entities {
            names[type.name] = SwiftIdentifiers.type(type.name, suffix: "Entity", taken: &taken)
        }
        types = SwiftNamedTypes(of: entities, taken: taken)
    }

    var text: String {
        let parts =
            [head] + entities.map(source(of:))
            + types.all.map { SwiftTypeSource($0, types: types).text }
            + (types.holdsJSON ? [SwiftTypeSource.storedJSON] : [])
        return parts.joined(separator: "\n")
    }

    private var head: String {
        let arguments = entities.map { (names[$0.name] ?? "") + ".self" }.joined(separator: ", ")
        var lines = [
            "// The entities of store \(schema.store), as transaction \(schema.transaction) left them.",
            "// Written by `varve schema --swift`. Indexes, unique constraints, hooks and the cases of raw values",
            "// are the program's own: no store holds them.",
            "//",
            "// let store = try Store(at: url, \(arguments))",
        ]
        lines += leftOut.map {
            "// Left out, for Swift cannot name it: the type \($0.name.swiftLiteral)"
        }
        return (lines + ["", "import Foundation", "import Varve", ""]).joined(separator: "\n")
    }

    // MARK: Entities

    private func source(of type: InspectedType) -> String {
        var taken: Set<String> = ["id"]
        var lines: [String] = []
        let name = names[type.name] ?? ""
        let persisted = name == type.name ? "" : "(\(type.name.plainSwiftLiteral ?? ""))"
        lines.append("@EntityModel\(persisted)")
        lines.append("struct \(name) {")
        let attribute = type.numbersIDs ? "@AutoIncrement " : ""
        lines.append("    \(attribute)let id: \(spelling(of: type.idForm))")
        for field in type.fields {
            lines += member(field.name, &taken) {
                "var \($0): \(spelling(of: field.form))" + value(of: field)
            }
        }
        for relation in type.relations {
            guard let target = entityName(relation.target) else {
                lines.append(
                    "    // Left out with its type: the relation \(relation.name.swiftLiteral)")
                continue
            }
            lines += member(relation.name, &taken) {
                declaration(of: relation, named: $0, to: target)
            }
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func member(
        _ persisted: String, _ taken: inout Set<String>, _ declaration: (String) -> String
    ) -> [String] {
        guard persisted.canBeMember else {
            return [
                "    // Left out, for Swift cannot name it: the property \(persisted.swiftLiteral)"
            ]
        }
        let name = SwiftIdentifiers.member(persisted, taken: &taken)
        let isRenamed = name != persisted && name != "`\(persisted)`"
        let attribute = isRenamed ? "@PersistedName(\(persisted.plainSwiftLiteral ?? "")) " : ""
        return ["    " + attribute + declaration(name)]
    }

    /// Properties that came later than their type have a value for the rows before them.
    private func value(of field: InspectedType.Field) -> String {
        guard let content = field.fill?.stored.content else { return "" }
        let literal: String? =
            switch content {
            case .bool(let value): "\(value)"
            case .signed(let value): "\(value)"
            case .unsigned(let value): "\(value)"
            case .double(let value) where field.form == .double && value.isFinite: "\(value)"
            case .float(let value) where value.isFinite: "\(value)"
            case .string(let text) where field.form == .string: text.swiftLiteral
            case .array(let elements) where elements.isEmpty: "[]"
            case .set(let elements) where elements.isEmpty: "[]"
            case .dictionary(let entries) where entries.isEmpty: "[:]"
            default: nil
            }
        if case .raw = field.form { return "" }
        return literal.map { " = " + $0 } ?? ""
    }

    // MARK: Relations

    private func declaration(
        of relation: InspectedType.Relation, named name: String, to target: String
    ) -> String {
        var arguments: [String] = []
        if relation.isRequired { arguments.append(".required") }
        if relation.deleteRule != .nullify {
            arguments.append("deleteRule: .\(relation.deleteRule.rawValue)")
        }
        let inverse = relation.inverse.flatMap { memberName(of: $0, in: relation.target) }
        if let inverse { arguments.append("inverse: \\.\(inverse)") }
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let type = relation.isToMany ? "[\(target)]?" : "\(target)?"
        let value = inverse == nil && !relation.isRequired ? " = nil" : ""
        return "@Relationship\(list) var \(name): \(type)\(value)"
    }

    /// The name in Swift of a type that a relation leads to; nil where the type is left out.
    private func entityName(_ target: String) -> String? {
        if let name = names[target] { return name }
        return schema.type(named: target)?.tombstoneOf.flatMap(entityName).map { "Deleted<\($0)>" }
    }

    /// The name in Swift of a relation of another type: what ``source(of:)`` makes of it there.
    private func memberName(of relation: String, in type: String) -> String? {
        guard let type = schema.type(named: type), type.tombstoneOf == nil else { return nil }
        var taken: Set<String> = ["id"]
        for name in type.fields.map(\.name) + type.relations.map(\.name) where name.canBeMember {
            let member = SwiftIdentifiers.member(name, taken: &taken)
            if name == relation, type.relations.contains(where: { $0.name == name }) {
                return member
            }
        }
        return nil
    }

    private func spelling(of type: StoredType) -> String { types.spelling(of: type) }
}

extension SwiftNamedTypes {
    /// A type as the printed source writes it.
    func spelling(of type: StoredType) -> String {
        switch type {
        case .optional(let wrapped): spelling(of: wrapped) + "?"
        case .array(let element): "[\(spelling(of: element))]"
        case .set(let element): "Set<\(spelling(of: element))>"
        case .dictionary(let key, let value): "[\(spelling(of: key)): \(spelling(of: value))]"
        // What the content is, the log does not say.
        case .asset: "Asset<Data>"
        case .structure, .enumeration, .raw, .text, .json: name(of: type)
        default: "\(type)"
        }
    }
}
