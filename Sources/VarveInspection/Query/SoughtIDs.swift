internal import Foundation
internal import VarveTables

/// The ids that a condition asks for: their rows are looked up, and no others are read.
///
/// They are candidates. Each row is tested against the whole condition.
struct SoughtIDs: Sendable {
    /// The bytes of the ids.
    private let ids: Set<[UInt8]>

    /// Nil where rows with other ids may meet the condition too, or where bytes do not tell which ids equal a value.
    init?(_ condition: BoundExpression, _ type: StoredType) {
        switch condition {
        case .comparison(.equal, .id, let value), .comparison(.equal, let value, .id):
            self.init(equalTo: [value], type)
        case .membership(.id, let values): self.init(equalTo: values, type)
        case .and(let parts):
            // One part suffices: the others only leave out more.
            let sought = parts.compactMap { SoughtIDs($0, type) }
            guard let least = sought.min(by: { $0.count < $1.count }) else { return nil }
            self = least
        case .or(let parts):
            var ids: Set<[UInt8]> = []
            for part in parts {
                guard let sought = SoughtIDs(part, type) else { return nil }
                ids.formUnion(sought.ids)
            }
            self.init(ids: ids)
        default: return nil
        }
    }

    private init(ids: Set<[UInt8]>) { self.ids = ids }

    private init?(equalTo values: [BoundExpression], _ type: StoredType) {
        var ids: Set<[UInt8]> = []
        for value in values {
            guard case .constant(let content) = value,
                let equal = Self.ids(equalTo: content, type)
            else { return nil }
            ids.formUnion(equal)
        }
        self.init(ids: ids)
    }

    var count: Int { ids.count }

    /// Those that the state knows, in the order in which a scan meets them.
    func slots(of type: TypeNumber, in state: State) -> [Slot] {
        ids.compactMap { id in id.withUnsafeBytes { state.slot(of: type, id: $0) } }.sorted()
    }

    // MARK: Bytes

    private static func ids(equalTo content: StoredContent, _ type: StoredType) -> [[UInt8]]? {
        switch (type, content) {
        case (.raw(_, let wrapped), _): ids(equalTo: content, wrapped)
        case (_, .signed(let number)): bytes(of: number, as: type)
        case (_, .unsigned(let number)): bytes(of: number, as: type)
        case (.string, .string(let text)), (.text, .string(let text)):
            spellings(of: text)?.compactMap { bytes(of: .string($0), as: type) }
        case (.uuid, .string(let text)):
            UUID(uuidString: text).map { [bytes(of: .uuid($0), as: type)].compactMap { $0 } } ?? []
        default: nil
        }
    }

    /// None where the type holds no such number; nil where it is no type of integers.
    private static func bytes(
        of number: some BinaryInteger, as type: StoredType
    ) -> [[UInt8]]? {
        let content: StoredContent?
        switch type {
        case .int8: content = Int8(exactly: number).map { .signed(Int64($0)) }
        case .int16: content = Int16(exactly: number).map { .signed(Int64($0)) }
        case .int32: content = Int32(exactly: number).map { .signed(Int64($0)) }
        case .int64: content = Int64(exactly: number).map { .signed($0) }
        case .uint8: content = UInt8(exactly: number).map { .unsigned(UInt64($0)) }
        case .uint16: content = UInt16(exactly: number).map { .unsigned(UInt64($0)) }
        case .uint32: content = UInt32(exactly: number).map { .unsigned(UInt64($0)) }
        case .uint64: content = UInt64(exactly: number).map { .unsigned($0) }
        default: return nil
        }
        return content.map { [bytes(of: $0, as: type)].compactMap { $0 } } ?? []
    }

    private static func bytes(of content: StoredContent, as type: StoredType) -> [UInt8]? {
        var writer = ByteWriter()
        guard (try? content.store(as: type, into: &writer)) != nil else { return nil }
        return writer.copyBytes()
    }

    // MARK: Texts

    /// The characters beyond ASCII that are canonically equivalent to one of ASCII: the Kelvin sign, the Greek question mark
    /// and the varia.
    static let twins: [Unicode.Scalar: Unicode.Scalar] = [
        "K": "\u{212A}", ";": "\u{37E}", "`": "\u{1FEF}",
    ]

    private static let spellingsMax = 64
    /// Of a longer text as many copies as there are spellings would take long to make.
    private static let bytesMax = 1_024

    /// The texts that are equal to a text; nil where that are many.
    private static func spellings(of text: String) -> [String]? {
        guard text.utf8.count <= bytesMax else { return nil }
        var spellings = [""]
        for scalar in text.unicodeScalars {
            guard scalar.isASCII else { return nil }
            let twin = twins[scalar]
            spellings = spellings.flatMap { start in
                [scalar, twin].compactMap { $0 }.map { start + String($0) }
            }
            if spellings.count > spellingsMax { return nil }
        }
        return spellings
    }
}
