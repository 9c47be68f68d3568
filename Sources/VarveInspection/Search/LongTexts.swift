/// The values of properties before the newest transactions, as a walk from the newest to the oldest finds them: what
/// the changes of long texts are put together with.
///
/// Beside the names of the entities it takes a bounded amount of memory: see ``TextStash``.
struct LongTexts {
    private var known: [EntityName: [String: TextStash.Place]] = [:]
    private let stash: TextStash

    init(bytesMax: Int = TextStash.bytesMax) { stash = TextStash(bytesMax: bytesMax) }

    /// Whether a newer transaction said what a property is.
    func knows(_ entity: EntityName, _ field: String) -> Bool { known[entity]?[field] != nil }

    /// Notes what a property was before the transaction that replaced it.
    mutating func note(
        _ value: InspectedValue, of entity: EntityName, _ field: String
    ) throws(InspectionError) {
        // A text without anything long in common with others is always logged whole.
        guard let content = value.stored.content.longContent, content.count > Splice.overhead
        else {
            guard let place = known[entity]?.removeValue(forKey: field) else { return }
            return stash.release(place)
        }
        try keep(content, of: entity, field)
    }

    private mutating func keep(
        _ content: [UInt8], of entity: EntityName, _ field: String
    ) throws(InspectionError) {
        let former = known[entity]?[field]
        known[entity, default: [:]][field] = try stash.keep(content, replacing: former)
    }

    /// Before its insertion there was no entity, or one whose deletion says what it was.
    mutating func forget(_ entity: EntityName) {
        for place in (known.removeValue(forKey: entity) ?? [:]).values { stash.release(place) }
    }

    /// Both sides of a change of which the log holds a part: nothing of data, and where the whole is not to be had, the
    /// parts.
    ///
    /// - Parameter newest: the value at the end of the log.
    mutating func sides(
        of splice: InspectedEvent.Splice, _ entity: EntityName, _ field: String,
        newest: () throws(InspectionError) -> InspectedValue?
    ) throws(InspectionError) -> (old: String, new: String) {
        var new: [UInt8] = []
        if let place = known[entity]?[field] {
            new = try stash.text(at: place)
        } else if let value = try newest() {
            if value.stored.content.isData { return ("", "") }
            new = value.stored.content.longContent ?? []
        }
        let (prefix, suffix) = (Int(splice.prefix.rawValue), Int(splice.suffix.rawValue))
        guard new.count == prefix + splice.new.count + suffix else {
            return (
                String(decoding: splice.old, as: UTF8.self),
                String(decoding: splice.new, as: UTF8.self)
            )
        }
        let old = Array(new.prefix(prefix) + splice.old + new.suffix(suffix))
        try keep(old, of: entity, field)
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
