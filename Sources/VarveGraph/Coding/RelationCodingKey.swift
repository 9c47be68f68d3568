/// The keys of the forms of a relation that have keys.
///
/// In order of precedence: where an object has several, the first one counts.
enum RelationCodingKey: String, CodingKey, CaseIterable {
    case id, object, fragment
    case ids, objects, fragments
    case sliceIDs = "slice_ids"
    case slice
    case sliceFragments = "slice_fragments"
    case none

    /// Whether it stands for a list.
    var isToMany: Bool? {
        switch self {
        case .id, .object, .fragment: false
        case .ids, .objects, .fragments, .sliceIDs, .slice, .sliceFragments: true
        case .none: nil
        }
    }

    enum Content {
        case none, ids, entities
    }

    /// What it leads to.
    var content: Content {
        switch self {
        case .none: .none
        case .id, .ids, .sliceIDs: .ids
        case .object, .fragment, .objects, .fragments, .slice, .sliceFragments: .entities
        }
    }

    /// Whether the keyed form without slices knows it.
    var isPlainlyKeyed: Bool {
        switch self {
        case .id, .object, .ids, .objects, .none: true
        case .fragment, .fragments, .sliceIDs, .slice, .sliceFragments: false
        }
    }
}

/// Any key at all, to see which ones an object has.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }
}
