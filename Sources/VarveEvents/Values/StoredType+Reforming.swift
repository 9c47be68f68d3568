extension StoredType {
    /// Whether a value that is read and written again may have other bytes, although its type reads
    /// as the same: what a `Codable` type writes, and which raw values there are, is the app's to
    /// change.
    package var mayBeReformed: Bool {
        switch self {
        case .raw, .text, .json: true
        case .optional(let type), .array(let type), .set(let type): type.mayBeReformed
        case .dictionary(let key, let value): key.mayBeReformed || value.mayBeReformed
        case .structure(_, let fields): fields.contains { $0.type.mayBeReformed }
        case .enumeration(_, let cases):
            cases.contains { $0.payload.contains { $0.type.mayBeReformed } }
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float,
            .double, .string, .data, .date, .uuid, .url, .decimal, .asset:
            false
        }
    }
}
