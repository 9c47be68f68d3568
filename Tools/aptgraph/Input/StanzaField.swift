/// The fields of a stanza that are read; a line with any other name is passed over.
enum StanzaField: Int, CaseIterable {
    case package, version, architecture, section, priority, maintainer, source, installedSize
    case size, homepage, description, filename, sha256, status
    case preDepends, depends, recommends, suggests, enhances, breaks, conflicts, replaces
    case provides

    /// The name as Debian writes it.
    var name: String {
        switch self {
        case .package: "Package"
        case .version: "Version"
        case .architecture: "Architecture"
        case .section: "Section"
        case .priority: "Priority"
        case .maintainer: "Maintainer"
        case .source: "Source"
        case .installedSize: "Installed-Size"
        case .size: "Size"
        case .homepage: "Homepage"
        case .description: "Description"
        case .filename: "Filename"
        case .sha256: "SHA256"
        case .status: "Status"
        case .provides: "Provides"
        case .preDepends, .depends, .recommends, .suggests, .enhances, .breaks, .conflicts,
            .replaces:
            relationKind?.rawValue ?? ""
        }
    }

    var relationKind: DependencyKind? {
        switch self {
        case .preDepends: .preDepends
        case .depends: .depends
        case .recommends: .recommends
        case .suggests: .suggests
        case .enhances: .enhances
        case .breaks: .breaks
        case .conflicts: .conflicts
        case .replaces: .replaces
        default: nil
        }
    }

    init(_ kind: DependencyKind) {
        self =
            switch kind {
            case .preDepends: .preDepends
            case .depends: .depends
            case .recommends: .recommends
            case .suggests: .suggests
            case .enhances: .enhances
            case .breaks: .breaks
            case .conflicts: .conflicts
            case .replaces: .replaces
            }
    }

    /// Whether the value may go on in continuation lines: descriptions do, and old archives fold
    /// long relations.
    var mayFold: Bool {
        self == .description || self == .provides || relationKind != nil
    }
}

/// Finds a field by the bytes of its name, whose case does not matter.
struct StanzaFieldTable {
    /// Lowercased names by their length, so that most lines are told apart by that alone.
    private let byLength: [[(name: [UInt8], field: StanzaField)]]

    init() {
        var byLength: [[(name: [UInt8], field: StanzaField)]] = []
        for field in StanzaField.allCases {
            let name = Array(field.name.lowercased().utf8)
            while byLength.count <= name.count { byLength.append([]) }
            byLength[name.count].append((name, field))
        }
        self.byLength = byLength
    }

    func field(named range: Range<Int>, in bytes: Span<UInt8>) -> StanzaField? {
        guard range.count < byLength.count else { return nil }
        for index in byLength[range.count].indices
        where Self.matches(byLength[range.count][index].name, range, in: bytes) {
            return byLength[range.count][index].field
        }
        return nil
    }

    private static func matches(
        _ lowercased: [UInt8], _ range: Range<Int>, in bytes: Span<UInt8>
    ) -> Bool {
        for offset in lowercased.indices {
            let byte = bytes[range.lowerBound + offset]
            let isUppercase = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if (isUppercase ? byte | 0x20 : byte) != lowercased[offset] { return false }
        }
        return true
    }
}
