extension StorableDeclaration {
    /// The extension that makes the type storable.
    func emitted() -> String {
        var source = SourceText()
        for attribute in type.availability { source.line(attribute) }
        let conformance = type.needsConformance ? ": " + "Storable".inLibrary : ""
        // Not isolated, so that it also serves in modules that are main-actor by default.
        source.block("nonisolated extension \(type.reference)\(conformance)") { source in
            for requirement in StorableRequirement.allCases
            where !declaredRequirements.contains(requirement) {
                switch shape {
                case .structure(let fields): emit(requirement, of: fields, into: &source)
                case .enumeration(let cases): emit(requirement, of: cases, into: &source)
                }
            }
        }
        return source.text
    }

    private func emit(
        _ requirement: StorableRequirement, of fields: [FieldDeclaration],
        into source: inout SourceText
    ) {
        switch requirement {
        case .storedType: emitStoredType(of: fields, into: &source)
        case .store: emitStore(fields, into: &source)
        case .load:
            source.block("\(access)\(loadSignature)") { $0.line("try Self(_from: &reader)") }
        case .decode: emitDecoding(of: fields, into: &source)
        case .fill: emitFilling(of: fields, into: &source)
        case .sameBytes: emitComparison(of: fields, into: &source)
        }
    }

    private func emit(
        _ requirement: StorableRequirement, of cases: [CaseDeclaration],
        into source: inout SourceText
    ) {
        switch requirement {
        case .storedType: emitStoredType(of: cases, into: &source)
        case .store: emitStore(cases, into: &source)
        case .load: emitLoad(cases, into: &source)
        case .decode, .fill: break
        case .sameBytes: emitComparison(of: cases, into: &source)
        }
    }

    // MARK: - Shared spelling

    private var access: String { type.access.memberPrefix }
    private var throwing: String { "throws(\("CodecError".inLibrary))" }
    private var reader: String { "from reader: inout \("ByteReader".inLibrary)" }
    private var codec: String { "_FieldCodec".inLibrary }

    private var storeSignature: String {
        "func store(into writer: inout \("ByteWriter".inLibrary)) \(throwing)"
    }
    private var loadSignature: String { "static func load(\(reader)) \(throwing) -> Self" }
    private var comparisonSignature: String {
        "static func sameBytes(_ first: Self, _ second: Self) -> Bool"
    }

    private func emitStoredType(
        _ kind: String, members: [String], into source: inout SourceText
    ) {
        source.block("\(access)static var storedType: \("StoredType".inLibrary)") { source in
            source.line(".\(kind)(")
            source.indented { source in
                source.line("\(type.baseName.asStringLiteral),")
                source.line("[")
                source.indented { source in
                    for member in members { source.line(member + ",") }
                }
                source.line("])")
            }
        }
    }

    // MARK: - Structs

    private func emitStoredType(of fields: [FieldDeclaration], into source: inout SourceText) {
        let members = fields.map { field in
            // Through the property: at file scope the name of its type need not be found.
            let type = "\(codec).type(of: \\Self.\(field.reference))"
            let start = ".init(\(field.nameInLog.asStringLiteral), \(codec).storedType(of: \(type))"
            guard let index = fields.filled.firstIndex(where: { $0.name == field.name }) else {
                return start + ")"
            }
            let writer = "(_writer: inout \("ByteWriter".inLibrary)) \(throwing) in"
            return start + ", fill: { \(writer) _ = try Self(_fill: \(index), into: &_writer) })"
        }
        emitStoredType("structure", members: members, into: &source)
    }

    /// An initializer that always returns nil: it writes the value that a declaration gives a member. Nothing else has
    /// these values.
    private func emitFilling(of fields: [FieldDeclaration], into source: inout SourceText) {
        let filled = fields.filled
        guard !filled.isEmpty, !declaredRequirements.contains(.storedType) else { return }
        let parameters = "_fill field: Int, into writer: inout \("ByteWriter".inLibrary)"
        source.block("private init?(\(parameters)) \(throwing)") { source in
            source.line("switch field {")
            for (index, field) in filled.enumerated() {
                let arguments = "\(field.value(in: "self")), \(field.name.asStringLiteral)"
                source.line("case \(index):")
                source.indented { $0.line("try \(codec).store(\(arguments), into: &writer)") }
            }
            source.line("default: break")
            source.line("}")
            source.line("return nil")
        }
    }

    private func emitStore(_ fields: [FieldDeclaration], into source: inout SourceText) {
        source.block("\(access)\(storeSignature)") { source in
            for field in fields {
                let arguments = "\(field.value(in: "self")), \(field.name.asStringLiteral)"
                source.line("try \(codec).store(\(arguments), into: &writer)")
            }
        }
    }

    private func emitDecoding(of fields: [FieldDeclaration], into source: inout SourceText) {
        let signature = "init(_\(reader)) \(throwing)"
        source.block("\(access)\(signature)") {
            fields.emitLoading(calling: "try \(codec).load", into: &$0)
        }
    }

    private func emitComparison(of fields: [FieldDeclaration], into source: inout SourceText) {
        source.block("\(access)\(comparisonSignature)") { source in
            // One statement a field: a long chain of `&&` is slow to type-check.
            for field in fields {
                let values = "\(field.value(in: "first")), \(field.value(in: "second"))"
                source.line("guard \(codec).same(\(values)) else { return false }")
            }
            source.line("return true")
        }
    }

    // MARK: - Enums

    private func emitStoredType(of cases: [CaseDeclaration], into source: inout SourceText) {
        let members = cases.map { enumCase in
            let name = enumCase.nameInLog.asStringLiteral
            if enumCase.payload.isEmpty { return ".init(\(name))" }
            let payload = enumCase.payload.enumerated().map { index, value in
                // Through the case, for the same reason, as far as there are functions for it.
                let type =
                    index < Self.payloadTypeCount
                    ? "\(codec).payloadType\(index)(\(enumCase.constructor))"
                    : value.type.metatype
                let stored = "\(codec).storedType(of: \(type))"
                return ".init(\(value.label.asStringLiteral), \(stored))"
            }
            return ".init(\(name), [\(payload.joined(separator: ", "))])"
        }
        emitStoredType("enumeration", members: members, into: &source)
    }

    /// For how many values of a payload the library has a function that gives their types.
    private static let payloadTypeCount = 8

    private func emitStore(_ cases: [CaseDeclaration], into source: inout SourceText) {
        source.block("\(access)\(storeSignature)") { source in
            source.line("switch self {")
            for (number, enumCase) in cases.enumerated() {
                source.line("case \(enumCase.pattern(binding: "value")):")
                source.indented { source in
                    source.line("writer.writeVarint(\(number))")
                    for (index, value) in enumCase.payload.enumerated() {
                        let name = enumCase.errorName(of: value).asStringLiteral
                        source.line(
                            "try \(codec).store(value\(index), \(name), into: &writer)")
                    }
                }
            }
            source.line("}")
        }
    }

    private func emitLoad(_ cases: [CaseDeclaration], into source: inout SourceText) {
        source.block("\(access)\(loadSignature)") { source in
            source.line("let offset = reader.position")
            source.line("let number = try reader.readVarint()")
            source.line("switch number {")
            for (number, enumCase) in cases.enumerated() {
                source.line("case \(number):")
                source.indented { source in
                    let arguments = enumCase.payload.map { value in
                        let label = value.label.isEmpty ? "" : value.label + ": "
                        return "\(label)try \(codec).load(from: &reader)"
                    }
                    let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
                    source.line("return .\(enumCase.reference)\(list)")
                }
            }
            source.line("default:")
            source.indented { source in
                let name = type.name.asStringLiteral
                source.line("throw .invalidTag(offset: offset, found: number, typeName: \(name))")
            }
            source.line("}")
        }
    }

    private func emitComparison(of cases: [CaseDeclaration], into source: inout SourceText) {
        source.block("\(access)\(comparisonSignature)") { source in
            source.line("switch (first, second) {")
            for enumCase in cases {
                let pair = ["first", "second"].map { enumCase.pattern(binding: $0) }
                source.line("case (\(pair.joined(separator: ", "))):")
                source.indented { source in
                    for index in enumCase.payload.indices {
                        let values = "first\(index), second\(index)"
                        source.line("guard \(codec).same(\(values)) else { return false }")
                    }
                    source.line("return true")
                }
            }
            // Of a single case the first pattern is exhaustive.
            if cases.count > 1 { source.line("default: return false") }
            source.line("}")
        }
    }
}

extension [FieldDeclaration] {
    /// Those whose declaration says what values of older logs get, other than nil.
    fileprivate var filled: [FieldDeclaration] {
        filter { $0.hasInitializer && !($0.isOptional && $0.fillValue == "nil") }
    }
}

extension CaseDeclaration {
    /// `.suspended(let value0, let value1)`
    fileprivate func pattern(binding name: String) -> String {
        if payload.isEmpty { return ".\(reference)" }
        let bound = payload.indices.map { "let \(name)\($0)" }
        return ".\(reference)(\(bound.joined(separator: ", ")))"
    }

    /// `Self.suspended(reason:_:)`
    fileprivate var constructor: String {
        let labels = payload.map { ($0.label.isEmpty ? "_" : $0.label) + ":" }
        return "Self.\(reference)(\(labels.joined()))"
    }

    /// How an error names a value of the payload.
    fileprivate func errorName(of value: Payload) -> String {
        value.label.isEmpty ? name : "\(name).\(value.label)"
    }
}
