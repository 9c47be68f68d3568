/// The values of properties before the newest transactions, as a walk from the newest to the oldest finds them: what
/// the changes of long texts are put together with.
struct LongTexts {
    private var known: [EntityName: [String: [UInt8]]] = [:]

    /// Notes what a property was before the transaction that replaced it.
    mutating func note(_ value: InspectedValue, of entity: EntityName, _ field: String) {
        guard let content = value.stored.content.longContent else { return }
        known[entity, default: [:]][field] = content
    }

    /// Before its insertion there was no entity, or one whose deletion says what it was.
    mutating func forget(_ entity: EntityName) { known[entity] = nil }

    /// Both sides of a change of which the log holds a part: nothing of data, and where the whole is not to be had, the
    /// parts.
    ///
    /// - Parameter newest: the value at the end of the log.
    mutating func sides(
        of splice: InspectedEvent.Splice, _ entity: EntityName, _ field: String,
        newest: () throws(InspectionError) -> InspectedValue?
    ) throws(InspectionError) -> (old: String, new: String) {
        var content = known[entity]?[field]
        if content == nil, let value = try newest() {
            if value.stored.content.isData { return ("", "") }
            content = value.stored.content.longContent
        }
        let new = content ?? []
        let (prefix, suffix) = (Int(splice.prefix.rawValue), Int(splice.suffix.rawValue))
        guard new.count == prefix + splice.new.count + suffix else {
            return (
                String(decoding: splice.old, as: UTF8.self),
                String(decoding: splice.new, as: UTF8.self)
            )
        }
        let old = new.prefix(prefix) + splice.old + new.suffix(suffix)
        known[entity, default: [:]][field] = Array(old)
        return (String(decoding: old, as: UTF8.self), String(decoding: new, as: UTF8.self))
    }
}

extension StoredContent {
    /// The bytes of a text of which a change may be logged in part; nil of every other value.
    fileprivate var longContent: [UInt8]? {
        switch self {
        case .string(let text), .url(let text): [UInt8](text.utf8)
        case .json(let bytes): bytes
        case .optional(let value): value?.longContent
        default: nil
        }
    }

    fileprivate var isData: Bool {
        switch self {
        case .data: true
        case .optional(let value?): value.isData
        default: false
        }
    }
}
