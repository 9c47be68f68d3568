import Foundation
import VarveInspection
import VarveText

/// `varve export`: the entities of a store for other programs.
struct ExportCommand: Command {
    static let format = OptionDefinition(
        name: "format", letter: "F", valueName: "FORMAT",
        help: "jsonl (the default), csv or sql;\notherwise as the suffix of the output says")
    static let output = OptionDefinition(
        name: "output", letter: "o", valueName: "FILE",
        help: "write to this file, of CSV into this folder;\n- is the standard output")
    static let force = OptionDefinition(
        name: "force", letter: "f", help: "replace the output where it is there already")
    static let type = OptionDefinition(
        name: "type", letter: "t", valueName: "TYPE",
        help: "export this type alone; may be given several times")
    static let deleted = OptionDefinition(
        name: "deleted", letter: "d", help: "export tombstones of deleted entities too")

    static let definition = CommandDefinition(
        name: "export",
        summary: "the entities of a store as JSON lines, CSV or SQL",
        description: """
            Writes the current entities, or those of an earlier moment, for other programs.

              jsonl  an object on each line: a header with the schema, then each entity
                     with type, id, fields and links; 'varve import' makes an equal
                     store of it
              csv    a folder with a file for each type and one for each relation to many
              sql    text for 'sqlite3 new.db < FILE': tables, keys, links, indexes

            An output file appears when it is complete, and replaces nothing without
            --force.
            """,
        operands: [.store],
        options: [format, output, force, type, deleted, QueryCommand.at],
        examples: [
            "export Chats.varve | jq .fields", "export Chats.varve -o chats.sql",
            "export --format csv --type Chat Chats.varve -o chats",
            "export --deleted --at=2026-08-03 Chats.varve -o chats.jsonl",
        ])

    enum Format: String, CaseIterable {
        case jsonLines = "jsonl"
        case csv, sql
    }

    private let path: String
    private let types: [String]
    private let includesDeleted: Bool
    private let moment: TransactionFilter.Bound?
    private let form: Format
    private let output: OutputFile?

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        types = arguments.values(of: Self.type)
        includesDeleted = arguments.has(Self.deleted)
        moment = try QueryCommand.moment(arguments, now)
        output = arguments.value(of: Self.output).map {
            OutputFile(path: $0, replaces: arguments.has(Self.force))
        }.flatMap { $0.isStandardOutput ? nil : $0 }
        form = try Self.form(arguments)
        if form == .csv, output == nil { throw .missingOption("--output=FOLDER") }
    }

    private static func form(_ arguments: ParsedArguments) throws(UsageError) -> Format {
        guard let name = arguments.value(of: format) else {
            guard let path = arguments.value(of: output) else { return .jsonLines }
            return try form(ofPath: path)
        }
        guard let form = Format(rawValue: name) else {
            throw .invalidValue(option: "--format", value: name, expected: "jsonl, csv or sql")
        }
        return form
    }

    /// As the suffix of a path says; JSON lines where there is none.
    private static func form(ofPath path: String) throws(UsageError) -> Format {
        let name = path.split(separator: "/").last ?? ""
        // A dot in front of a name hides the file.
        guard let dot = name.dropFirst().lastIndex(of: "."), name != ".." else { return .jsonLines }
        guard let form = Format(rawValue: name[dot...].dropFirst().lowercased()) else {
            throw .invalidValue(
                option: "--output", value: path,
                expected: "a name that ends in .jsonl, .csv or .sql, or another one with --format")
        }
        return form
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try output?.check(
            outside: path, folderMarkedBy: form == .csv ? StoreExport.schemaFile : nil)
        let store = SoundStore(at: path, verifiesCheckpoint: true)
        let export = try store.inspect { inspection throws(InspectionError) in
            if let moment { try inspection.goBack(to: moment) }
            return try StoreExport(inspection, types: types, includingDeleted: includesDeleted)
        }
        var lineCount: UInt64 = 0
        func count() {
            lineCount += 1
            guard lineCount.isMultiple(of: 1_024) else { return }
            session.progress.count("lines written", lineCount)
        }
        if form == .csv {
            try output?.writeFolder(markedBy: StoreExport.schemaFile) {
                folder throws(ToolFailure) in try writeCSV(export, folder, count)
            }
        } else if let output {
            try output.write { sink throws(ToolFailure) in
                try write(export, isTerminal: false) { line throws(ToolFailure) in
                    try sink.writing(line + "\n")
                    count()
                }
            }
        } else {
            try write(export, isTerminal: session.isTerminal) { line throws(ToolFailure) in
                // SQL is written so that no text in it commands a terminal.
                if form == .sql {
                    try session.writeText(line + "\n")
                } else {
                    try session.write(JSON.written(line))
                }
            }
        }
        return try store.end()
    }

    private func write(
        _ export: StoreExport, isTerminal: Bool,
        _ line: (String) throws(ToolFailure) -> Void
    ) throws(ToolFailure) {
        var failure: ToolFailure?
        func take(_ text: String) -> Bool {
            do throws(ToolFailure) {
                try line(text)
                return true
            } catch {
                failure = error
                return false
            }
        }
        try ToolFailure.inspecting { () throws(InspectionError) in
            switch form {
            case .sql: try export.writeSQL(isTerminal: isTerminal, take)
            default: try export.writeJSONLines(take)
            }
        }
        if let failure { throw failure }
    }

    /// - Parameter count: called behind each line.
    private func writeCSV(
        _ export: StoreExport, _ folder: String, _ count: () -> Void
    ) throws(ToolFailure) {
        var failure: ToolFailure?
        var current: (name: String, sink: FileSink, descriptor: Int32)?
        func finish() throws(ToolFailure) {
            guard let last = current else { return }
            defer { close(last.descriptor) }
            current = nil
            try last.sink.flushing()
        }
        func take(_ name: String, _ line: String) throws(ToolFailure) {
            if current?.name != name {
                try finish()
                let descriptor = open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL, 0o666)
                guard descriptor >= 0 else {
                    throw .output(
                        .failed(reason: "\(name): \(String(cString: strerror(errno)))"))
                }
                current = (name, FileSink(descriptor: descriptor), descriptor)
            }
            try current?.sink.writing(line + "\n")
            count()
        }
        try ToolFailure.inspecting { () throws(InspectionError) in
            try export.writeCSV { name, line in
                do throws(ToolFailure) {
                    try take(name, line)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
        try finish()
    }
}
