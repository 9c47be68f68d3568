/// Turns the bytes of one stanza into a ``PackageStanza``.
///
/// Only ranges are noted while the lines are walked; Strings are made for the fields that are
/// kept, once it is known that all of them stand.
struct StanzaParser {
    private struct FieldValue {
        var range: Range<Int>
        var line: Int
    }

    private let table = StanzaFieldTable()
    /// One place for each ``StanzaField``, used again for each stanza.
    private var values = [FieldValue?](repeating: nil, count: StanzaField.allCases.count)

    mutating func parse(
        _ range: Range<Int>, of bytes: Span<UInt8>, firstLine: Int
    ) throws(StanzaProblem) -> PackageStanza {
        for index in values.indices { values[index] = nil }
        try collectFields(range, of: bytes, firstLine: firstLine)
        return try makeStanza(from: bytes, firstLine: firstLine)
    }

    // MARK: Lines

    private mutating func collectFields(
        _ range: Range<Int>, of bytes: Span<UInt8>, firstLine: Int
    ) throws(StanzaProblem) {
        var line = firstLine
        var start = range.lowerBound
        var hasField = false
        var current: StanzaField?
        while start < range.upperBound {
            let next = bytes.firstIndex(of: UInt8(ascii: "\n"), in: start..<range.upperBound)
            let end = next ?? range.upperBound
            if bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") {
                guard hasField else {
                    throw StanzaProblem(line: line, reason: .continuationWithoutField)
                }
                try extend(current, to: end, line: line)
            } else {
                current = try noteField(start..<end, of: bytes, line: line)
                hasField = true
            }
            start = end + 1
            line += 1
        }
    }

    private mutating func extend(
        _ field: StanzaField?, to end: Int, line: Int
    ) throws(StanzaProblem) {
        guard let field else { return }
        guard field.mayFold else {
            throw StanzaProblem(line: line, reason: .fieldSpansLines(field.name))
        }
        if let value = values[field.rawValue] {
            values[field.rawValue]?.range = value.range.lowerBound..<end
        }
    }

    /// Notes the value of a line `Name: value`; `nil` for a field that is not kept.
    private mutating func noteField(
        _ range: Range<Int>, of bytes: Span<UInt8>, line: Int
    ) throws(StanzaProblem) -> StanzaField? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":"), in: range) else {
            throw StanzaProblem(line: line, reason: .lineWithoutColon)
        }
        guard colon > range.lowerBound else {
            throw StanzaProblem(line: line, reason: .lineWithoutName)
        }
        guard let field = table.field(named: range.lowerBound..<colon, in: bytes) else {
            return nil
        }
        guard values[field.rawValue] == nil else {
            throw StanzaProblem(line: line, reason: .duplicateField(field.name))
        }
        values[field.rawValue] = FieldValue(range: colon + 1..<range.upperBound, line: line)
        return field
    }

    // MARK: Values

    private func makeStanza(
        from bytes: Span<UInt8>, firstLine: Int
    ) throws(StanzaProblem) -> PackageStanza {
        let name = try packageName(in: bytes, firstLine: firstLine)
        var stanza = PackageStanza(
            name: name,
            version: try required(.version, in: bytes, firstLine: firstLine),
            architecture: try required(.architecture, in: bytes, firstLine: firstLine),
            line: firstLine)
        stanza.section = try text(.section, in: bytes)
        stanza.priority = try text(.priority, in: bytes)
        stanza.maintainer = try text(.maintainer, in: bytes).map(Self.maintainer)
        stanza.source = try text(.source, in: bytes).map(Self.source)
        stanza.installedKibibytes = try number(.installedSize, in: bytes)
        stanza.downloadBytes = try number(.size, in: bytes)
        stanza.homepage = try text(.homepage, in: bytes)
        stanza.summary = try summary(in: bytes)
        stanza.filename = try text(.filename, in: bytes)
        stanza.sha256 = try text(.sha256, in: bytes)
        stanza.isRemoved = try text(.status, in: bytes).map(Self.saysRemoved) ?? false
        stanza.dependencies = try dependencies(in: bytes)
        stanza.provides = try provides(in: bytes)
        return stanza
    }

    private func packageName(
        in bytes: Span<UInt8>, firstLine: Int
    ) throws(StanzaProblem) -> String {
        let name = try required(.package, in: bytes, firstLine: firstLine)
        if let value = values[StanzaField.package.rawValue],
            !PackageName.isValid(bytes.trimmed(value.range), in: bytes)
        {
            let reason = StanzaProblem.Reason.invalidPackageName(
                field: StanzaField.package.name, text: bytes.excerpt(bytes.trimmed(value.range)))
            throw StanzaProblem(line: value.line, reason: reason)
        }
        return name
    }

    private func required(
        _ field: StanzaField, in bytes: Span<UInt8>, firstLine: Int
    ) throws(StanzaProblem) -> String {
        guard let value = values[field.rawValue] else {
            throw StanzaProblem(line: firstLine, reason: .missingField(field.name))
        }
        guard let text = try text(field, in: bytes) else {
            throw StanzaProblem(line: value.line, reason: .emptyField(field.name))
        }
        return text
    }

    /// The trimmed text of a field; `nil` where it is absent or empty.
    private func text(
        _ field: StanzaField, in bytes: Span<UInt8>
    ) throws(StanzaProblem) -> String? {
        guard let value = values[field.rawValue] else { return nil }
        return try text(value, from: bytes.trimmed(value.range), of: field, in: bytes)
    }

    private func text(
        _ value: FieldValue, from range: Range<Int>, of field: StanzaField, in bytes: Span<UInt8>
    ) throws(StanzaProblem) -> String? {
        guard !range.isEmpty else { return nil }
        guard let text = bytes.text(range) else {
            throw StanzaProblem(line: value.line, reason: .invalidUTF8(field.name))
        }
        return text
    }

    private func number(
        _ field: StanzaField, in bytes: Span<UInt8>
    ) throws(StanzaProblem) -> Int64? {
        guard let value = values[field.rawValue], let text = try text(field, in: bytes) else {
            return nil
        }
        guard let number = Int64(text), number >= 0 else {
            throw StanzaProblem(
                line: value.line, reason: .notANumber(field: field.name, text: text))
        }
        return number
    }

    private func summary(in bytes: Span<UInt8>) throws(StanzaProblem) -> String? {
        guard let value = values[StanzaField.description.rawValue] else { return nil }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: value.range)
        let firstLine = value.range.lowerBound..<(end ?? value.range.upperBound)
        return try text(value, from: bytes.trimmed(firstLine), of: .description, in: bytes)
    }

    // MARK: Relations

    private func dependencies(
        in bytes: Span<UInt8>
    ) throws(StanzaProblem) -> [DependencyGroup] {
        var groups: [DependencyGroup] = []
        for kind in DependencyKind.allCases {
            let field = StanzaField(kind)
            guard let value = values[field.rawValue] else { continue }
            let range = bytes.trimmed(value.range)
            if range.isEmpty { continue }
            var parser = RelationParser(range)
            do throws(StanzaProblem.RelationFault) {
                try parser.groups(of: kind, in: bytes, into: &groups)
            } catch {
                throw Self.problem(error, field: field, value: value)
            }
        }
        return groups
    }

    private func provides(in bytes: Span<UInt8>) throws(StanzaProblem) -> [Provision] {
        guard let value = values[StanzaField.provides.rawValue] else { return [] }
        let range = bytes.trimmed(value.range)
        if range.isEmpty { return [] }
        var parser = RelationParser(range)
        do throws(StanzaProblem.RelationFault) {
            return try parser.provisions(in: bytes)
        } catch {
            throw Self.problem(error, field: .provides, value: value)
        }
    }

    private static func problem(
        _ fault: StanzaProblem.RelationFault, field: StanzaField, value: FieldValue
    ) -> StanzaProblem {
        StanzaProblem(
            line: value.line, reason: .malformedRelation(field: field.name, fault: fault))
    }

    // MARK: Parts of a value

    /// `Name <address>`; a value of any other shape is a name alone.
    private static func maintainer(_ text: String) -> PackageMaintainer {
        let utf8 = text.utf8
        guard utf8.last == UInt8(ascii: ">"), let open = utf8.lastIndex(of: UInt8(ascii: "<"))
        else { return PackageMaintainer(name: text) }
        var nameEnd = open
        while nameEnd > utf8.startIndex, utf8[utf8.index(before: nameEnd)] == UInt8(ascii: " ") {
            nameEnd = utf8.index(before: nameEnd)
        }
        let email = text[utf8.index(after: open)..<utf8.index(before: utf8.endIndex)]
        return PackageMaintainer(name: String(text[..<nameEnd]), email: String(email))
    }

    /// `name` or `name (version)`.
    private static func source(_ text: String) -> SourcePackage {
        let utf8 = text.utf8
        guard utf8.last == UInt8(ascii: ")"), let open = utf8.firstIndex(of: UInt8(ascii: "(")),
            let space = utf8.firstIndex(of: UInt8(ascii: " ")), space < open
        else { return SourcePackage(name: text) }
        let version = text[utf8.index(after: open)..<utf8.index(before: utf8.endIndex)]
        return SourcePackage(name: String(text[..<space]), version: String(version))
    }

    /// dpkg's `Status` is three words: what is wanted, an error flag, what is there.
    private static func saysRemoved(_ status: String) -> Bool {
        status.hasSuffix(" config-files") || status.hasSuffix(" not-installed")
    }
}
