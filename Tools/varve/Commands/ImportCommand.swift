import VarveInspection

/// `varve import`: entities of other programs, or of an export, into a store.
struct ImportCommand: Command {
    static let schema = OptionDefinition(
        name: "schema", letter: "s", valueName: "FILE",
        help: "the types of a new store:\na schema, as 'schema --json' or an export has it")
    static let type = OptionDefinition(
        name: "type", letter: "t", valueName: "TYPE",
        help: "the type of lines and files that name none")
    static let assets = OptionDefinition(
        name: "assets", valueName: "STORE",
        help: "a store that has the files of assets\nthat the lines name")
    static let dryRun = OptionDefinition(
        name: "dry-run", letter: "n", help: "read and check everything, and write nothing")

    static let definition = CommandDefinition(
        name: "import",
        summary: "write entities from JSON lines or CSV into a store",
        description: """
            Reads entities from files into a store, which is made where there is none. FILE is
            JSON lines, CSV (a name that ends in .csv), the folder of a CSV export, or - for
            the standard input. An export brings its types along; other files need a store
            that has the types, or --schema.

            Lines of entities that the store has change what they name. Relations are
            completed on both sides. It happens whole or not at all: with one refused line
            nothing is written, and the status is 1. A store that is there gets one
            transaction, which 'varve undo' undoes.
            """,
        operands: [
            OperandDefinition(name: "FILE", help: "what to import", isRepeated: true),
            OperandDefinition(name: "STORE", help: "the directory of the store, or of a new one"),
        ],
        options: [schema, type, assets, dryRun],
        examples: [
            "export Chats.varve | varve import - Copy.varve",
            "import --schema people.json people.csv People.varve",
            "import --dry-run more.jsonl Chats.varve",
        ])

    private let files: [String]
    private let path: String
    private let schemaPath: String?
    private let type: String?
    private let assets: String?
    private let isDryRun: Bool

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        files = Array(arguments.operands.dropLast())
        path = arguments.operands[arguments.operands.count - 1]
        schemaPath = arguments.value(of: Self.schema)
        type = arguments.value(of: Self.type)
        assets = arguments.value(of: Self.assets)
        isDryRun = arguments.has(Self.dryRun)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let report: ImportReport
        do throws(ExchangeError) {
            var work = StoreImport()
            work.schema = try schemaPath.map { path throws(ExchangeError) in
                try StoreSchema(contentsOf: path)
            }
            work.type = type
            work.assets = assets
            work.isDryRun = isDryRun
            report = try work.run(files: files, into: path) { count in
                session.progress.count("lines read", UInt64(count))
            }
        } catch {
            throw .exchange(error)
        }
        if session.isJSON {
            try session.write(report.json(path, isDryRun: isDryRun))
        } else {
            for line in report.lines(path, isDryRun: isDryRun) { try session.writeWhole(line) }
        }
        return report.refusedCount == 0 ? .success : .failure
    }
}

extension ImportReport {
    fileprivate func lines(_ path: String, isDryRun: Bool) -> [StyledText] {
        var lines = refused.map { refusal in
            StyledText(
                "\(refusal.file), line \(refusal.line), column \(refusal.column): "
                    + refusal.reason, .removed)
        }
        if refusedCount > refused.count {
            lines.append(StyledText("and \(refusedCount - refused.count) more", .faint))
        }
        let outcome =
            refusedCount > 0
            ? "nothing was written"
            : isDryRun
                ? "nothing was written, and nothing speaks against it"
                : transaction.map { isNew ? "made" : "transaction \($0)" } ?? "nothing to write"
        lines.append(StyledText(path + ": ", .heading) + StyledText(outcome))
        let counts = [
            Numerals.counted(inserted, "entity", "entities") + " inserted",
            Numerals.grouped(updated) + " updated", Numerals.grouped(unchanged) + " unchanged",
            Numerals.counted(refusedCount, "line") + " refused",
        ]
        lines.append(StyledText("  " + counts.joined(separator: ", "), .faint))
        if !newTypes.isEmpty {
            lines.append(
                StyledText("  new types: " + newTypes.joined(separator: ", "), .faint))
        }
        return lines
    }

    fileprivate func json(_ path: String, isDryRun: Bool) -> JSON {
        [
            "path": .text(path), "dryRun": .bool(isDryRun), "new": .bool(isNew),
            "transaction": transaction.map { .id($0) } ?? .null,
            "inserted": .number(inserted), "updated": .number(updated),
            "unchanged": .number(unchanged), "refusedCount": .number(refusedCount),
            "refused": .array(
                refused.map { refusal in
                    [
                        "file": .text(refusal.file), "line": .number(refusal.line),
                        "column": .number(refusal.column), "reason": .text(refusal.reason),
                    ]
                }), "newTypes": .array(newTypes.map { .text($0) }),
        ]
    }
}
