/// What is known of a value before any row is read: enough to refuse comparisons that never hold.
enum QueryKind: String, Sendable {
    case bool = "a truth value"
    case number = "a number"
    case text = "a text"
    case date = "a date"
    case bytes = "data"
    case list = "a list"
    case members = "a structure"
    case null = "null"
    /// Of a JSON document, or of an enumeration whose cases have payloads: known per row.
    case any = "a value"

    init(_ type: StoredType) {
        switch type {
        case .bool: self = .bool
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
            .decimal:
            self = .number
        case .string, .url, .uuid, .text: self = .text
        case .data: self = .bytes
        case .date: self = .date
        case .optional(let wrapped), .raw(_, let wrapped): self = QueryKind(wrapped)
        case .array, .set: self = .list
        case .structure, .dictionary, .asset: self = .members
        case .enumeration(_, let cases):
            self = cases.allSatisfy { $0.payload.isEmpty } ? .text : .any
        case .json: self = .any
        }
    }

    /// What is known of the elements of a list.
    init(elementsOf type: StoredType) {
        switch type {
        case .optional(let wrapped), .raw(_, let wrapped): self.init(elementsOf: wrapped)
        case .array(let element), .set(let element): self.init(element)
        default: self = .any
        }
    }

    init(_ literal: StoredContent) {
        switch literal {
        case .bool: self = .bool
        case .signed, .unsigned, .float, .double, .decimal: self = .number
        case .string, .url, .uuid: self = .text
        case .date: self = .date
        case .data: self = .bytes
        case .optional(nil): self = .null
        case .optional(let value?): self = QueryKind(value)
        case .array, .set: self = .list
        case .structure, .dictionary: self = .members
        case .enumeration, .json: self = .any
        }
    }

    func isComparable(with other: QueryKind) -> Bool {
        self == other || [self, other].contains(.null) || [self, other].contains(.any)
    }
}
