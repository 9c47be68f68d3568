import VarveInspection

/// `varve report`: a page about a store.
struct ReportCommand: Command {
    static let output = OptionDefinition(
        name: "output", letter: "o", valueName: "FILE",
        help: "the page that is written;\n- is the standard output")
    static let force = OptionDefinition(
        name: "force", letter: "f", help: "replace the file if there is one")

    static let definition = CommandDefinition(
        name: "report",
        summary: "write a page about a store, to read in a browser",
        description: """
            Writes one HTML page about a store that needs nothing else: what is in it, its
            schema as a drawing, its life, its files, the most changed and the largest
            entities, its health, and an index of labels that can be searched. The page is
            for a screen of any width, light or dark, and for paper; its times are UTC. Reads
            the whole log. Of a damaged store it shows what is sound and says what is
            missing; the status is 1 then.
            """,
        operands: [.store], options: [output, force],
        examples: ["report Chats.varve -o chats.html", "report --force Chats.varve -o chats.html"])

    private let path: String
    private let file: OutputFile
    private let now: Moment

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        self.now = now
        guard let output = arguments.value(of: Self.output), !output.isEmpty else {
            throw .missingOption("--output")
        }
        file = OutputFile(path: output, replaces: arguments.has(Self.force))
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try file.check(outside: path)
        let statistics = try ToolFailure.inspecting { () throws(InspectionError) in
            try InspectedStatistics.gather(at: path, now: now)
        }
        let page = ReportPage(statistics: statistics, now: now).markup.source
        let isSound = statistics.health.isSound
        if file.isStandardOutput {
            try session.writeText(page)
        } else {
            try file.write { sink throws(ToolFailure) in try sink.writing(page) }
            try write(ByteCount(UInt64(page.utf8.count)), isSound, in: session)
        }
        return isSound ? .success : .failure
    }

    /// Says what was written.
    private func write(
        _ bytes: ByteCount, _ isSound: Bool, in session: Session
    ) throws(ToolFailure) {
        if session.isJSON {
            return try session.write([
                "path": .text(path), "output": .text(file.path), "bytes": .bytes(bytes),
                "sound": .bool(isSound),
            ])
        }
        let verdict =
            isSound
            ? StyledText("sound", .added)
            : StyledText("not everything could be read: the page says what is missing", .removed)
        try session.write(
            StyledText(file.path + ": ", .heading) + StyledText(Numerals.size(bytes) + ", ")
                + verdict)
    }
}
