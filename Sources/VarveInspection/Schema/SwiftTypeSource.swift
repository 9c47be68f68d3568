/// Writes a type that values of entities have in Swift.
struct SwiftTypeSource {
    private let named: SwiftNamedTypes.Named
    private let types: SwiftNamedTypes

    init(_ named: SwiftNamedTypes.Named, types: SwiftNamedTypes) {
        self.named = named
        self.types = types
    }

    var text: String {
        switch named.type {
        case .structure(let persisted, let fields): structure(persisted, fields)
        case .enumeration(let persisted, let cases): enumeration(persisted, cases)
        case .raw(let persisted, let raw): rawValue(persisted, types.spelling(of: raw))
        case .text(let persisted): description(persisted)
        case .json: document
        default: preconditionFailure("Only types with a name are written")
        }
    }

    // MARK: Structures and enumerations

    private func attribute(_ persisted: String) -> String {
        named.name == persisted
            ? "@Storable" : persisted.plainSwiftLiteral.map { "@Storable(\($0))" } ?? "@Storable"
    }

    private func structure(_ persisted: String, _ fields: [StoredType.Field]) -> String {
        var taken: Set<String> = []
        let members = fields.map { field in
            let name = SwiftIdentifiers.member(field.name, taken: &taken)
            return "    \(rename(field.name, name))var \(name): \(types.spelling(of: field.type))"
        }
        return lines(
            [attribute(persisted), "struct \(named.name): Codable, Hashable, Sendable {"] + members
                + ["}"])
    }

    private func enumeration(_ persisted: String, _ cases: [StoredType.Case]) -> String {
        var taken: Set<String> = []
        let members = cases.map { one in
            let name = SwiftIdentifiers.member(one.name, taken: &taken)
            return "    \(rename(one.name, name))case \(name)\(payload(one.payload))"
        }
        return lines(
            [attribute(persisted), "enum \(named.name): Codable, Hashable, Sendable {"] + members
                + ["}"])
    }

    private func payload(_ fields: [StoredType.Field]) -> String {
        guard !fields.isEmpty else { return "" }
        var taken: Set<String> = []
        let values = fields.map { field in
            let label =
                field.name.isEmpty
                ? "" : SwiftIdentifiers.member(field.name, taken: &taken) + ": "
            return label + types.spelling(of: field.type)
        }
        return "(\(values.joined(separator: ", ")))"
    }

    private func rename(_ persisted: String, _ name: String) -> String {
        if name == persisted || name == "`\(persisted)`" { return "" }
        return persisted.plainSwiftLiteral.map { "@PersistedName(\($0)) " } ?? ""
    }

    // MARK: Raw values, descriptions and documents

    private func rawValue(_ persisted: String, _ raw: String) -> String {
        let declaration = lines([
            "struct \(named.name): RawRepresentable, Codable, Hashable, Sendable {",
            "    var rawValue: \(raw)",
            "}",
        ])
        guard named.needsStorable else { return declaration }
        return declaration + "\n"
            + storable(
                "raw(\(persisted.swiftLiteral), \(raw).storedType)", "rawValue",
                "\(named.name)(rawValue: try \(raw).load(from: &reader))")
    }

    private func description(_ persisted: String) -> String {
        lines([
            "struct \(named.name): LosslessStringConvertible, Codable, Hashable, Sendable {",
            "    let description: String",
            "",
            "    init(_ description: String) { self.description = description }",
            "}",
        ]) + "\n"
            + storable(
                "text(\(persisted.swiftLiteral))", "description",
                "\(named.name)(try String.load(from: &reader))")
    }

    private func storable(_ type: String, _ member: String, _ value: String) -> String {
        lines([
            "extension \(named.name): Storable {",
            "    static var storedType: StoredType { .\(type) }",
            "",
            "    func store(into writer: inout ByteWriter) throws(CodecError) {",
            "        try \(member).store(into: &writer)",
            "    }",
            "",
            "    static func load(from reader: inout ByteReader) throws(CodecError) -> \(named.name) {",
            "        \(value)",
            "    }",
            "}",
        ])
    }

    private var document: String {
        lines([
            "struct \(named.name): Codable, Hashable, Sendable {",
            "    var document: StoredJSON",
            "",
            "    init(from decoder: any Decoder) throws { document = try StoredJSON(from: decoder) }",
            "",
            "    func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }",
            "}",
        ])
    }

    private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

    /// What `Codable` values are stored as.
    static let storedJSON = """
        /// A JSON document, as a store holds a `Codable` value.
        enum StoredJSON: Codable, Hashable, Sendable {
            case null
            case bool(Bool)
            case integer(Int64)
            case unsigned(UInt64)
            case number(Double)
            case text(String)
            case array([StoredJSON])
            case object([String: StoredJSON])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if container.decodeNil() {
                    self = .null
                } else if let value = try? container.decode(Bool.self) {
                    self = .bool(value)
                } else if let value = try? container.decode(Int64.self) {
                    self = .integer(value)
                } else if let value = try? container.decode(UInt64.self) {
                    self = .unsigned(value)
                } else if let value = try? container.decode(String.self) {
                    self = .text(value)
                } else if let value = try? container.decode(Double.self) {
                    self = .number(value)
                } else if let value = try? container.decode([StoredJSON].self) {
                    self = .array(value)
                } else {
                    self = .object(try container.decode([String: StoredJSON].self))
                }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .null: try container.encodeNil()
                case .bool(let value): try container.encode(value)
                case .integer(let value): try container.encode(value)
                case .unsigned(let value): try container.encode(value)
                case .number(let value): try container.encode(value)
                case .text(let value): try container.encode(value)
                case .array(let values): try container.encode(values)
                case .object(let values): try container.encode(values)
                }
            }
        }

        """
}
