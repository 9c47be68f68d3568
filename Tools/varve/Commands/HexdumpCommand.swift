import VarveInspection

/// `varve hexdump`: the bytes of a frame or a header, with the names of their fields.
struct HexdumpCommand: Command {
    static let definition = CommandDefinition(
        name: "hexdump",
        summary: "show the bytes of a frame or a header, field by field",
        description: """
            Shows bytes of a store as they lie in its files, with the names that the
            description of the format gives to the fields, in whatever state the rest of the
            store is. Of a payload the first 256 bytes are shown, unless --full is given. The
            status is 1 when what is shown is not what was written.
            """,
        operands: [
            .store,
            OperandDefinition(
                name: "WHAT",
                help: """
                    a transaction's number, SEGMENT:OFFSET for a frame, manifest,
                    segment-N for header and footer, or checkpoint-N
                    """),
        ],
        options: [CommandDefinition.full],
        examples: [
            "hexdump Chats.varve 41", "hexdump Chats.varve 3:128",
            "hexdump Chats.varve segment-3",
        ])

    private let path: String
    private let subject: HexDump.Subject
    private let payloadBytesMax: UInt64

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        payloadBytesMax = arguments.has(CommandDefinition.full) ? .max : 256
        let text = arguments.operands[1]
        guard let subject = Self.subject(text) else {
            throw .invalidOperand(
                name: "WHAT", value: text,
                expected: "a transaction, SEGMENT:OFFSET, manifest, segment-N or checkpoint-N")
        }
        self.subject = subject
    }

    private static func subject(_ text: String) -> HexDump.Subject? {
        if text == "manifest" || text.hasPrefix("manifest-") { return .manifest }
        if let number = UInt64(text), number > 0 { return .transaction(TransactionID(number)) }
        if let colon = text.firstIndex(of: ":") {
            guard let segment = UInt64(text[..<colon]), segment > 0,
                let offset = UInt64(text[text.index(after: colon)...])
            else { return nil }
            return .frame(
                FrameLocation(segment: SegmentID(segment), offset: FrameOffset(offset)))
        }
        guard let dash = text.firstIndex(of: "-"),
            let number = UInt64(text[text.index(after: dash)...]), number > 0
        else { return nil }
        switch text[..<dash] {
        case "segment": return .segment(number)
        case "checkpoint": return .checkpoint(number)
        default: return nil
        }
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let dumps = try ToolFailure.inspecting { () throws(InspectionError) in
            try HexDump.read(subject, at: path, payloadBytesMax: payloadBytesMax)
        }
        for (position, dump) in dumps.enumerated() {
            if session.isJSON {
                try session.write(dump.json)
            } else {
                if position > 0 { try session.write(StyledText("")) }
                for line in dump.lines { try session.write(line) }
            }
        }
        return dumps.allSatisfy { $0.problem == nil } ? .success : .failure
    }
}

extension HexDump {
    private static let bytesInLine = 8

    fileprivate var lines: [StyledText] {
        var lines = [
            StyledText("\(file), offset \(offset): \(name)", .heading)
                + StyledText(
                    ", \(Numerals.counted(length, "byte"))", .faint)
        ]
        if let problem {
            lines.append(StyledText("  " + problem, .removed))
        }
        for field in fields { lines += Self.lines(of: field) }
        let shown = fields.reduce(0) { $0 + UInt64($1.bytes.count) }
        if shown < length {
            lines.append(
                StyledText("  \(Numerals.counted(length - shown, "more byte"))", .faint))
        }
        return lines
    }

    private static func lines(of field: Field) -> [StyledText] {
        stride(from: 0, to: field.bytes.count, by: bytesInLine).map { start in
            let bytes = field.bytes[start..<min(start + bytesInLine, field.bytes.count)]
            let digits = bytes.map(hexadecimal).joined(separator: " ")
            let place = String(field.offset + UInt64(start))
            let head =
                String(repeating: " ", count: max(0, 10 - place.count)) + place + "  "
            let padding = String(repeating: " ", count: bytesInLine * 3 - digits.count)
            var text = ""
            if field.name.isEmpty {
                text = bytes.map { 0x20..<0x7F ~= $0 ? String(UnicodeScalar($0)) : "." }.joined()
            } else if start == 0 {
                text = field.name + (field.value.map { ": " + $0 } ?? "")
            }
            return StyledText(head, .faint) + StyledText(digits)
                + StyledText(text.isEmpty ? "" : padding + text)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    fileprivate var json: JSON {
        [
            "file": .text(file), "offset": .number(offset), "name": .text(name),
            "bytes": .number(length), "problem": .optional(problem),
            "fields": .array(
                fields.map { field in
                    [
                        "offset": .number(field.offset), "name": .text(field.name),
                        "value": .optional(field.value),
                        "hex": .text(field.bytes.map(Self.hexadecimal).joined()),
                    ]
                }),
        ]
    }
}
