/// Reads the value of `Depends` and its kin: groups between commas, alternatives between bars.
///
///     a (>= 1.2) [amd64 !i386], b | c:any
struct RelationParser {
    typealias Fault = StanzaProblem.RelationFault

    private let end: Int
    private var cursor: Int

    init(_ range: Range<Int>) {
        cursor = range.lowerBound
        end = range.upperBound
    }

    mutating func groups(
        of kind: DependencyKind, in bytes: Span<UInt8>, into groups: inout [DependencyGroup]
    ) throws(Fault) {
        repeat {
            var alternatives = [try dependency(in: bytes)]
            while skip(UInt8(ascii: "|"), in: bytes) {
                alternatives.append(try dependency(in: bytes))
            }
            groups.append(DependencyGroup(kind: kind, alternatives: alternatives))
        } while skip(UInt8(ascii: ","), in: bytes)
        try expectEnd(in: bytes)
    }

    mutating func provisions(in bytes: Span<UInt8>) throws(Fault) -> [Provision] {
        var provisions: [Provision] = []
        repeat {
            let dependency = try dependency(in: bytes)
            switch dependency.constraint?.relation {
            case nil, .equal: break
            default: throw .inexactProvides
            }
            provisions.append(
                Provision(name: dependency.name, version: dependency.constraint?.version))
            if peek(in: bytes) == UInt8(ascii: "|") { throw .alternativesInProvides }
        } while skip(UInt8(ascii: ","), in: bytes)
        try expectEnd(in: bytes)
        return provisions
    }

    private mutating func dependency(in bytes: Span<UInt8>) throws(Fault) -> Dependency {
        var dependency = Dependency(name: try name(in: bytes))
        if cursor < end, bytes[cursor] == UInt8(ascii: ":") {
            cursor += 1
            dependency.architectureQualifier = try qualifier(in: bytes)
        }
        if skip(UInt8(ascii: "("), in: bytes) {
            dependency.constraint = try constraint(in: bytes)
        }
        if skip(UInt8(ascii: "["), in: bytes) {
            dependency.architectures = try architectures(in: bytes)
        }
        return dependency
    }

    private mutating func name(in bytes: Span<UInt8>) throws(Fault) -> String {
        skipSpaces(in: bytes)
        let range = nextWord(in: bytes)
        guard !range.isEmpty else { throw .missingName }
        guard PackageName.isValid(range, in: bytes), let name = bytes.text(range) else {
            throw .invalidName(bytes.excerpt(range))
        }
        return name
    }

    private mutating func qualifier(in bytes: Span<UInt8>) throws(Fault) -> String {
        let range = nextWord(in: bytes)
        guard PackageName.isValid(range, in: bytes), let qualifier = bytes.text(range) else {
            throw .missingQualifier
        }
        return qualifier
    }

    /// What follows an opening parenthesis, up to and with the closing one.
    private mutating func constraint(in bytes: Span<UInt8>) throws(Fault) -> VersionConstraint {
        skipSpaces(in: bytes)
        guard let relation = versionRelation(in: bytes) else { throw .invalidConstraint }
        skipSpaces(in: bytes)
        let start = cursor
        while cursor < end, bytes[cursor] != UInt8(ascii: ")"), !Span.isSpace(bytes[cursor]) {
            cursor += 1
        }
        guard start < cursor, let version = bytes.text(start..<cursor),
            skip(UInt8(ascii: ")"), in: bytes)
        else { throw .invalidConstraint }
        return VersionConstraint(relation, version)
    }

    private mutating func versionRelation(in bytes: Span<UInt8>) -> VersionRelation? {
        guard cursor < end else { return nil }
        let first = bytes[cursor]
        guard Self.isRelationByte(first) else { return nil }
        cursor += 1
        if first == UInt8(ascii: "=") { return .equal }
        let isEarlier = first == UInt8(ascii: "<")
        // A single sign is the spelling of old packages, and it includes equality.
        guard cursor < end, Self.isRelationByte(bytes[cursor]) else {
            return isEarlier ? .earlierOrEqual : .laterOrEqual
        }
        let second = bytes[cursor]
        cursor += 1
        if second == UInt8(ascii: "=") { return isEarlier ? .earlierOrEqual : .laterOrEqual }
        guard second == first else { return nil }
        return isEarlier ? .earlier : .later
    }

    /// What follows an opening bracket, up to and with the closing one.
    private mutating func architectures(in bytes: Span<UInt8>) throws(Fault) -> [String] {
        var architectures: [String] = []
        while !skip(UInt8(ascii: "]"), in: bytes) {
            let start = cursor
            if cursor < end, bytes[cursor] == UInt8(ascii: "!") { cursor += 1 }
            guard PackageName.isValid(nextWord(in: bytes), in: bytes),
                let architecture = bytes.text(start..<cursor)
            else { throw .invalidArchitectures }
            architectures.append(architecture)
        }
        guard !architectures.isEmpty else { throw .invalidArchitectures }
        return architectures
    }

    /// Everything up to a byte that has a meaning of its own here.
    private mutating func nextWord(in bytes: Span<UInt8>) -> Range<Int> {
        let start = cursor
        while cursor < end, !Self.isDelimiter(bytes[cursor]) { cursor += 1 }
        return start..<cursor
    }

    private mutating func skip(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
        guard peek(in: bytes) == byte else { return false }
        cursor += 1
        return true
    }

    private mutating func peek(in bytes: Span<UInt8>) -> UInt8? {
        skipSpaces(in: bytes)
        return cursor < end ? bytes[cursor] : nil
    }

    private mutating func skipSpaces(in bytes: Span<UInt8>) {
        while cursor < end, Span.isSpace(bytes[cursor]) { cursor += 1 }
    }

    private mutating func expectEnd(in bytes: Span<UInt8>) throws(Fault) {
        guard peek(in: bytes) == nil else { throw .unexpectedText(bytes.excerpt(cursor..<end)) }
    }

    private static func isRelationByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">")
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: Span<UInt8>.isSpace(byte)
        }
    }
}
