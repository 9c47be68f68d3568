extension EntityDeclaration {
    /// The extension that makes the struct an entity.
    func emitted() -> String {
        var source = SourceText()
        for attribute in type.availability { source.line(attribute) }
        let conformance = type.needsConformance ? ": " + "EntityModelProtocol".inLibrary : ""
        // Not isolated, so that it also serves in modules that are main-actor by default.
        source.block("nonisolated extension \(type.reference)\(conformance)") { source in
            for requirement in EntityRequirement.allCases
            where !declaredRequirements.contains(requirement) {
                emit(requirement, into: &source)
            }
        }
        return source.text
    }

    private func emit(_ requirement: EntityRequirement, into source: inout SourceText) {
        switch requirement {
        case .idAlias: emitIDAlias(into: &source)
        case .descriptor: emitDescriptor(into: &source)
        case .describe: emitDescription(into: &source)
        case .store: emitStore(into: &source)
        case .decode: emitDecoding(into: &source)
        case .decodeAgain: emitDecodingAgain(into: &source)
        case .fill: emitFilling(into: &source)
        case .changes: emitChanges(into: &source)
        case .storeID, .loadID, .sameID, .hashID: emitID(requirement, into: &source)
        case .normalize: emitNormalization(into: &source)
        case .saveRelations: emitRelationSaving(into: &source)
        case .patching: emitPatching(into: &source)
        case .patch: emitPatch(into: &source)
        case .numbering: emitNumbering(into: &source)
        case .assignID: emitAssigning(into: &source)
        }
    }

    private var access: String { type.access.memberPrefix }

    /// Says what `ID` is where an index reads the id: to check its path the compiler wants to know,
    /// while it is still inferring that from the properties, and reports a circular reference.
    private func emitIDAlias(into source: inout SourceText) {
        guard indexes.contains(where: \.readsID), let type = identityProperty?.type,
            !type.mentionedNames.contains("ID")
        else { return }
        source.line("\(access)typealias ID = \(type.storedText)")
    }

    // MARK: - Description

    private func emitDescriptor(into source: inout SourceText) {
        let descriptor = "EntityDescriptor".inLibrary
        let made = "\(descriptor)(Self.self, name: \(descriptorName))"
        if case .allowed = type.staticStorage {
            source.line("\(access)static let _descriptor = \(made)")
            return
        }
        source.block("\(access)static var _descriptor: \(descriptor)") { source in
            source.block("\(descriptor).registered(Self.self)") { $0.line(made) }
        }
    }

    /// A generic entity is persisted under another name for each list of arguments.
    private var descriptorName: String {
        if type.genericParameters.isEmpty { return type.baseName.asStringLiteral }
        let names = type.genericParameters.map {
            "\\(\("EntityDescriptor".inLibrary)._argumentName(of: \($0).self))"
        }
        let base = type.baseName.asStringLiteral.dropLast()
        return "\(base)<\(names.joined(separator: ", "))>\""
    }

    private func emitDescription(into source: inout SourceText) {
        let parameter = "_ _description: inout \("EntityDescription".inLibrary)<Self>"
        source.block("\(access)static func _describe(\(parameter))") { source in
            let kind = "\("_IDCodec".inLibrary).kind(\\Self.id)"
            let given = if case .given = identity { ", isGiven: true" } else { "" }
            source.line("_description.id(\(kind)\(given))")
            if numbersIDs { source.line("_description.numberIDs()") }
            for field in fields { describe(field, in: &source) }
            for relation in relations { describe(relation, in: &source) }
            for index in indexes { index.emit(into: &source) }
        }
    }

    private func describe(_ field: FieldDeclaration, in source: inout SourceText) {
        let arguments = "\(field.nameInLog.asStringLiteral), \\Self.\(field.reference)"
        guard let index = filledFields.firstIndex(where: { $0.name == field.name }) else {
            source.line("_description.field(\(arguments))")
            return
        }
        let writer = "_writer: inout \("ByteWriter".inLibrary)"
        source.line("_description.field(")
        source.indented { source in
            source.line("\(arguments),")
            source.line("fill: { (\(writer)) \(throwing) in")
            source.indented { source in
                source.line("_ = try Self(_fill: \(index), into: &_writer)")
            }
            source.line("})")
        }
    }

    /// The fields whose declaration says what rows of older logs get.
    private var filledFields: [FieldDeclaration] { fields.filter { $0.fillValue != nil } }

    private func describe(_ relation: RelationDeclaration, in source: inout SourceText) {
        let path = "\\Self.\(relation.projection)"
        let inverse = relation.inverseProjection.map { " inverse: \($0)," } ?? ""
        let offset = "MemoryLayout<Self>.offset(of: \\Self.\(relation.wrapper))"
        source.line("_description.relation(")
        source.indented { source in
            source.line("\(relation.nameInLog.asStringLiteral), \(path),\(inverse)")
            let orphans = relation.orphans.map { ", orphans: \($0)" } ?? ""
            source.line("offset: \(offset), deleteRule: \(relation.deleteRule)\(orphans))")
        }
    }

    // MARK: - Codec

    private var throwing: String { "throws(\("CodecError".inLibrary))" }
    private var writer: String { "into writer: inout \("ByteWriter".inLibrary)" }
    private var reader: String { "from reader: inout \("ByteReader".inLibrary)" }

    private func storing(
        _ value: String, as field: FieldDeclaration, into writer: String
    ) -> String {
        let name = field.name.asStringLiteral
        return "try \("_FieldCodec".inLibrary).store(\(value), \(name), into: &\(writer))"
    }

    private func emitStore(into source: inout SourceText) {
        source.block("\(access)func _store(\(writer)) \(throwing)") { source in
            for field in fields {
                source.line(storing(field.value(in: "self"), as: field, into: "writer"))
            }
        }
    }

    private func emitDecoding(into source: inout SourceText) {
        source.block("\(access)init(_id id: ID, \(reader)) \(throwing)") { source in
            fields.emitLoading(calling: "try \("_FieldCodec".inLibrary).load", into: &source) {
                emitIdentity(into: &$0)
            }
            emitEmptyRelations(into: &source)
        }
    }

    /// Decoding of bytes that are known to be those of an entity. A type that reads by hand reads these by hand, too.
    private func emitDecodingAgain(into source: inout SourceText) {
        guard !declaredRequirements.contains(.decode) else { return }
        let reader = "rereading reader: inout \("ByteReader".inLibrary)"
        source.block("\(access)init(_id id: ID, \(reader))") { source in
            fields.emitLoading(calling: "\("_FieldCodec".inLibrary).loadAgain", into: &source) {
                emitIdentity(into: &$0)
            }
            emitEmptyRelations(into: &source)
        }
    }

    private func emitIdentity(into source: inout SourceText) {
        if case .assigned = identity { source.line("self.id = id") }
    }

    /// Last, or a default value such as `= .relation(V1())` would outlive decoding. What holds nothing
    /// from the start is left alone: set once more, the whole value would be copied.
    private func emitEmptyRelations(into source: inout SourceText) {
        for relation in relations where !relation.startsEmpty {
            source.line("self.\(relation.wrapper) = .none")
        }
    }

    /// An initializer that never makes anything: it writes the value that a declaration gives a
    /// property. Only an initializer sees that value without its source being repeated, at file
    /// scope, where the names in it may mean something else or nothing.
    private func emitFilling(into source: inout SourceText) {
        guard !filledFields.isEmpty else { return }
        let parameters = "_fill field: Int, into writer: inout \("ByteWriter".inLibrary)"
        source.block("\(access)init?(\(parameters)) \(throwing)") { source in
            source.line("switch field {")
            for (index, field) in filledFields.enumerated() {
                source.line("case \(index):")
                source.indented { source in
                    if !field.hasInitializer {
                        source.line("self.\(field.reference) = nil")
                    }
                    source.line(storing(field.value(in: "self"), as: field, into: "writer"))
                }
            }
            source.line("default: break")
            source.line("}")
            source.line("return nil")
        }
    }

    private func emitChanges(into source: inout SourceText) {
        let parameters =
            "from old: Self, to new: Self, into changes: inout \("FieldChanges".inLibrary)"
        source.block("\(access)static func _changes(\(parameters)) \(throwing)") { source in
            for (index, field) in fields.enumerated() {
                let values = "\(field.value(in: "old")), \(field.value(in: "new"))"
                source.line(
                    "try \("_FieldCodec".inLibrary).change("
                        + "\(index), \(field.name.asStringLiteral), \(values), into: &changes)")
            }
        }
    }

    private func emitID(_ requirement: EntityRequirement, into source: inout SourceText) {
        let codec = "_IDCodec".inLibrary
        let (signature, body) =
            switch requirement {
            case .storeID:
                (
                    "_storeID(_ id: ID, \(writer)) \(throwing)",
                    "try \(codec).store(id, into: &writer)"
                )
            case .loadID:
                ("_loadID(\(reader)) \(throwing) -> ID", "try \(codec).load(from: &reader)")
            case .sameID:
                ("_sameID(_ first: ID, _ second: ID) -> Bool", "\(codec).same(first, second)")
            default:
                ("_hashID(_ id: ID) -> UInt64", "\(codec).hash(id)")
            }
        source.block("\(access)static func \(signature)") { $0.line(body) }
    }

    // MARK: - Relations and merging

    private func emitNormalization(into source: inout SourceText) {
        source.block("\(access)mutating func _normalize()") { source in
            for relation in relations { source.line("self.\(relation.projection) = .none") }
        }
    }

    private func emitRelationSaving(into source: inout SourceText) {
        let parameters =
            "to context: inout \("Context".inLibrary), at slot: \("Slot".inLibrary)"
        source.block("\(access)func _saveRelations(\(parameters)) throws") { source in
            for (index, relation) in relations.enumerated() {
                source.line(
                    "try context._save(self.\(relation.projection), relation: \(index),"
                        + " of: Self.self, at: slot)")
            }
        }
    }

    private func emitPatching(into source: inout SourceText) {
        source.block("\(access)init(_patching old: Self, with new: Self)") { source in
            if case .assigned = identity { source.line("self.id = new.id") }
            for field in fields {
                let kept = field.isOptional ? " ?? old.\(field.reference)" : ""
                source.line("self.\(field.reference) = new.\(field.reference)\(kept)")
            }
            for relation in relations {
                source.line("self.\(relation.wrapper) = new.\(relation.wrapper)")
            }
        }
    }

    private func emitPatch(into source: inout SourceText) {
        let strategy = "MergeStrategy".inLibrary
        source.block("\(access)static var patch: \(strategy)<Self>") { source in
            source.line("\(strategy) { old, new in Self(_patching: old, with: new) }")
        }
    }
}
