internal import Foundation
internal import VarveLog

/// A file of an import, with what its name and its first line say of it.
struct ImportSource {
    enum Form {
        case jsonLines
        case csv
        /// Of the relations to many of an export's folder.
        case links(type: String, relation: String)
    }

    let file: InputFile
    let form: Form
    /// The type of entities that name none.
    let type: String?
    /// The first line, which was read already.
    let first: [UInt8]?

    /// The files that are named, and those in the folders that are, with the schema that comes with them.
    static func all(
        _ paths: [String], type: String?
    ) throws(ExchangeError) -> (sources: [ImportSource], schema: StoreSchema?) {
        var sources: [ImportSource] = []
        var schema: StoreSchema?
        for path in paths {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            {
                let found = try folder(path)
                sources += found.sources
                schema = try joined(schema, found.schema)
            } else if path.hasSuffix(".csv") {
                let stem = path.split(separator: "/").last.map { String($0.dropLast(4)) }
                sources.append(
                    ImportSource(
                        file: try InputFile(path), form: .csv, type: type ?? stem, first: nil))
            } else {
                let source = try jsonLines(path, type)
                sources.append(source.source)
                schema = try joined(schema, source.schema)
            }
        }
        return (sources, schema)
    }

    /// The types of both; each must be described alike.
    static func joined(
        _ first: StoreSchema?, _ second: StoreSchema?
    ) throws(ExchangeError) -> StoreSchema? {
        guard let first, let second else { return first ?? second }
        var types = first.types
        for type in second.types {
            guard let known = types.first(where: { $0.name == type.name }) else {
                types.append(type)
                continue
            }
            if StoreSchema([known]).json != StoreSchema([type]).json {
                throw .types(["'\(type.name)' is described in two ways"])
            }
        }
        return StoreSchema(types)
    }

    private static func jsonLines(
        _ path: String, _ type: String?
    ) throws(ExchangeError) -> (source: ImportSource, schema: StoreSchema?) {
        let file = try InputFile(path)
        let first = try file.nextLine()
        var schema: StoreSchema?
        var held = first
        if let first, let node = try? JSONNode.parse(first),
            node[StoreExport.header.key]?.text == StoreExport.header.value
        {
            do throws(ExchangeProblem) {
                schema = try StoreSchema(try node.required("schema"))
            } catch {
                throw .schema(path: path, line: 1, column: error.offset + 1, reason: error.reason)
            }
            held = nil
        }
        return (
            ImportSource(file: file, form: .jsonLines, type: type, first: held), schema
        )
    }

    /// What a folder is that is no export.
    private static func problem(ofFolder path: String) throws(ExchangeError) -> String {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            return error.localizedDescription
        }
        let isStore = names.contains { name in
            switch StoreFileName(name) {
            case .manifest, .segment, .checkpoint: true
            default: false
            }
        }
        return isStore
            ? "it is a store; export it first, as JSON lines or CSV"
            : "a folder must be that of a CSV export, with \(CSVLayout.schemaName)"
                + (names.isEmpty ? "; it is empty" : "")
    }

    /// The files of an export.
    private static func folder(
        _ path: String
    ) throws(ExchangeError) -> (sources: [ImportSource], schema: StoreSchema) {
        let schemaPath = path + "/" + CSVLayout.schemaName
        guard FileManager.default.fileExists(atPath: schemaPath) else {
            throw .file(path: path, reason: try problem(ofFolder: path))
        }
        let schema = try StoreSchema(contentsOf: schemaPath)
        var sources: [ImportSource] = []
        for (type, file) in zip(schema.types, CSVLayout(schema.types).files) {
            sources.append(
                ImportSource(
                    file: try InputFile(path + "/" + file.name), form: .csv, type: type.name,
                    first: nil))
            for (relation, name) in zip(type.relations, file.links) {
                guard let name else { continue }
                sources.append(
                    ImportSource(
                        file: try InputFile(path + "/" + name),
                        form: .links(type: type.name, relation: relation.name), type: type.name,
                        first: nil))
            }
        }
        return (sources, schema)
    }
}

extension StoreSchema {
    /// Reads a file: a schema, or an export, whose first line has one.
    public init(contentsOf path: String) throws(ExchangeError) {
        guard let bytes = FileManager.default.contents(atPath: path),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .file(path: path, reason: "it cannot be read as text; is it there?") }
        try self.init(text, path: path)
    }
}
