/// One field of a structure of the format, as Docs/FORMAT.md names it: for whoever shows bytes.
package struct FormatField: Hashable, Sendable {
    package enum Meaning: Hashable, Sendable {
        case magic
        case number
        case time
        case identity
        /// A checksum, a digest, a salt.
        case bits
        case features
        case frameType
        case codec
        case frameFlags
        case reserved
    }

    package let name: String
    package let offset: Int
    package let size: Int
    package let meaning: Meaning
}

/// The structures of the format, field by field. Tests compare them with the tables of
/// Docs/FORMAT.md and with what the encoders write.
package enum FormatStructure: String, CaseIterable, Sendable {
    case manifest
    case segmentHeader = "segment header"
    case frameHeader = "frame header"
    case segmentFooter = "footer"
    case checkpointHeader = "checkpoint header"
    case pageHeader = "page header"
    case checkpointFooter = "checkpoint footer"

    package var fields: [FormatField] {
        var offset = 0
        return parts.map { name, size, meaning in
            defer { offset += size }
            return FormatField(name: name, offset: offset, size: size, meaning: meaning)
        }
    }

    package var byteCount: Int { parts.reduce(0) { $0 + $1.size } }

    private typealias Part = (name: String, size: Int, meaning: FormatField.Meaning)

    /// What every file begins with.
    private static let head: [Part] = [
        ("magic", 8, .magic), ("major version", 2, .number), ("minor version", 2, .number),
    ]

    private static let features: [Part] = [
        ("incompatible features", 4, .features), ("read-only-compatible features", 4, .features),
        ("compatible features", 4, .features), ("reserved", 4, .reserved),
        ("store identity", 16, .identity),
    ]

    private var parts: [Part] {
        switch self {
        case .manifest: Self.manifestParts
        case .segmentHeader:
            Self.head + [("header length", 4, .number)] + Self.features + [
                ("segment number", 8, .number), ("writer epoch", 8, .number),
                ("first transaction", 8, .number), ("salt", 8, .bits),
                ("length of the segment before", 8, .number),
                ("digest of the segment before", 8, .bits), ("time of creation", 8, .time),
                ("reserved", 20, .reserved), ("CRC32C of bytes 0 to 123", 4, .bits),
            ]
        case .frameHeader: Self.frameParts
        case .segmentFooter:
            [
                ("frames before the footer", 8, .number), ("transactions", 8, .number),
                ("first transaction", 8, .number), ("last transaction", 8, .number),
                ("earliest time", 8, .time), ("latest time", 8, .time),
                ("raw bytes", 8, .number), ("chain digest", 8, .bits),
                ("offset of the footer frame", 8, .number), ("index entries", 8, .number),
            ]
        case .checkpointHeader:
            Self.head + [("header length", 4, .number)] + Self.features + [
                ("number", 8, .number), ("last transaction", 8, .number), ("salt", 8, .bits),
                ("next segment", 8, .number), ("length of the segment before it", 8, .number),
                ("digest of the segment before it", 8, .bits), ("time of creation", 8, .time),
                ("time of the last transaction", 8, .time), ("reserved", 12, .reserved),
                ("CRC32C of bytes 0 to 123", 4, .bits),
            ]
        case .pageHeader: Self.pageParts
        case .checkpointFooter:
            [
                ("magic", 4, .magic), ("pages", 4, .number), ("digest of the content", 8, .bits),
                ("digest of the headers", 8, .bits), ("raw bytes of all pages", 8, .number),
                ("reserved", 8, .reserved),
            ]
        }
    }

    private static let manifestParts: [Part] =
        head + [("file length", 4, .number)] + features + [
            ("generation", 8, .number), ("time of writing", 8, .time),
            ("first segment", 8, .number), ("first transaction in it", 8, .number),
            ("chain start: length", 8, .number), ("chain start: digest", 8, .bits),
            ("floor", 8, .number), ("checkpoint", 8, .number),
            ("last transaction of the checkpoint", 8, .number),
            ("previous checkpoint", 8, .number),
            ("last transaction of the previous one", 8, .number),
            ("kind of retention", 4, .number), ("reserved", 4, .reserved),
            ("retained transactions or seconds", 8, .number), ("reserved", 4, .reserved),
            ("CRC32C of bytes 0 to 155", 4, .bits),
        ]

    private static let frameParts: [Part] = [
        ("magic", 4, .magic), ("type", 1, .frameType), ("codec", 1, .codec),
        ("flags", 2, .frameFlags), ("stored length", 4, .number), ("raw length", 4, .number),
        ("transaction number", 8, .number), ("durableEnd", 8, .number), ("time", 8, .time),
        ("reserved", 4, .reserved), ("CRC32C of the stored payload", 4, .bits),
        ("CRC32C of the raw payload", 4, .bits), ("CRC32C of bytes 0 to 51, seeded", 4, .bits),
    ]

    private static let pageParts: [Part] = [
        ("magic", 4, .magic), ("kind", 1, .number), ("codec", 1, .codec), ("zero", 2, .reserved),
        ("stored length", 4, .number), ("raw length", 4, .number), ("position", 4, .number),
        ("items", 4, .number), ("type number", 4, .number), ("relation number", 4, .number),
        ("first item", 4, .number), ("CRC32C of the stored bytes", 4, .bits),
        ("CRC32C of the raw bytes", 4, .bits), ("CRC32C of bytes 0 to 43, seeded", 4, .bits),
    ]
}
