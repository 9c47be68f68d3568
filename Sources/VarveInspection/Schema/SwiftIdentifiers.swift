internal import VarveText

/// Names in Swift for names in a log, which may be any text.
enum SwiftIdentifiers {
    /// Words that are only names between back quotes.
    private static let keywords: Set<String> = [
        "associatedtype", "as", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if",
        "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private",
        "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript",
        "super", "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    /// Words that cannot be the name of a property, whatever is around them, or that mean another one.
    private static let takenMembers: Set<String> = [
        "_", "init", "self", "Self", "Type", "Protocol", "Any", "hashValue", "id", "patch",
        "storedType",
    ]
    /// Types that the printed source names, and those that mean something else than they say.
    static let takenTypes: Set<String> = [
        "Any", "Array", "Bool", "ByteReader", "ByteWriter", "Codable", "CodecError", "Context",
        "Data", "Date",
        "Decimal", "Decodable", "Decoder", "Deleted", "Dictionary", "Double", "Encodable",
        "Encoder",
        "EntityModel", "Float", "Hashable", "ID", "Int", "Int16", "Int32", "Int64", "Int8",
        "LosslessStringConvertible", "Optional", "PersistedName", "Protocol", "RawRepresentable",
        "Relation",
        "Relations", "Relationship", "Self", "Sendable", "Set", "Storable", "Store", "StoredJSON",
        "StoredType",
        "String", "Type", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
        "Foundation", "Swift",
        "Varve",
    ]

    static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

    /// Whether Swift reads the text as one name, with back quotes or without.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, starts(first) else { return false }
        return text.unicodeScalars.allSatisfy(continues) && text.escapedForDisplay == text
    }

    /// A name for a property or a case: the text itself where that is one.
    static func member(_ text: String, taken: inout Set<String>) -> String {
        var name = isName(text) ? text : replaced(text, capitalized: false)
        if takenMembers.contains(name) { name += "_" }
        name = unique(name, taken: &taken)
        return isKeyword(name) ? "`\(name)`" : name
    }

    /// A name for a type: the last part of the text that its dots divide, else all of it.
    static func type(_ text: String, suffix: String, taken: inout Set<String>) -> String {
        func usable(_ text: String) -> String {
            let name = replaced(text, capitalized: true)
            return takenTypes.contains(name) || isKeyword(name) ? name + suffix : name
        }
        let last = text.split(separator: ".").last.map(String.init) ?? text
        for name in [usable(last), usable(text)] where taken.insert(name).inserted { return name }
        return unique(usable(text), taken: &taken)
    }

    private static func unique(_ name: String, taken: inout Set<String>) -> String {
        if taken.insert(name).inserted { return name }
        var number = 2
        while !taken.insert("\(name)\(number)").inserted { number += 1 }
        return "\(name)\(number)"
    }

    /// The letters and digits of a text; where others come between, the next letter is a capital.
    private static func replaced(_ text: String, capitalized: Bool) -> String {
        var name = ""
        var raises = capitalized && !isName(text)
        for character in text {
            let part = String(character)
            guard part.unicodeScalars.allSatisfy(continues), part.escapedForDisplay == part else {
                raises = !name.isEmpty || capitalized
                continue
            }
            name += raises ? part.uppercased() : part
            raises = false
        }
        if name.isEmpty { return capitalized ? "Unnamed" : "unnamed" }
        return name.unicodeScalars.first.map(starts) == true ? name : "_" + name
    }

    private static func starts(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || (scalar.value < 0x80 ? isASCIILetter(scalar) : scalar.properties.isIDStart)
    }

    private static func continues(_ scalar: Unicode.Scalar) -> Bool {
        starts(scalar) || ("0"..."9").contains(scalar)
            || scalar.value >= 0x300 && scalar.properties.isIDContinue
    }

    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}

extension String {
    /// As a Swift literal of one line.
    var swiftLiteral: String {
        var plain = ""
        for scalar in unicodeScalars {
            if scalar.needsBackslash { plain.unicodeScalars.append("\\") }
            plain.unicodeScalars.append(scalar)
        }
        return "\"" + plain.escapedForDisplay + "\""
    }

    /// Whether a property of an entity can be persisted under this name.
    var canBeMember: Bool {
        self != "id" && (SwiftIdentifiers.isName(self) || plainSwiftLiteral != nil)
    }

    /// The argument of an attribute that gives a persisted name, which takes plain literals alone. Nil where the
    /// text cannot be one.
    var plainSwiftLiteral: String? {
        isEmpty || unicodeScalars.contains(where: \.needsBackslash) || escapedForDisplay != self
            ? nil : "\"\(self)\""
    }
}

extension Unicode.Scalar {
    /// Whether the scalar needs a backslash in a Swift literal.
    fileprivate var needsBackslash: Bool { self == "\\" || self == "\"" }
}
