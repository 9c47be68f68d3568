/// What an app declares about its types beside the types: which of the log's data go, and which are made anew by a
/// migration.
package struct DeclaredChanges: Sendable {
    /// The changes of one type, by the names of its properties and relations.
    package struct OfType: Sendable, Hashable {
        /// What goes for good.
        package var removed: Set<String> = []
        /// Properties whose values are made anew also where the old ones could be taken over.
        package var converted: Set<String> = []
        /// To-many relations that become to-one.
        package var narrowed: Set<String> = []
        /// Relations whose targets give their values to the holders. The past needs their links, also where they go.
        package var joined: Set<String> = []
        /// Whether entities get other ids: those of another type of the same name.
        package var hasNewIDs = false

        package init() {}
    }

    /// By the names of the log. A type that is in it may change in ways that need a migration.
    package var types: [String: OfType] = [:]
    /// Types that go for good.
    package var removedTypes: Set<String> = []
    /// What gets another name. All others are by the names behind that.
    package var renames = Renames()

    package init() {}
}

extension DeclaredChanges.OfType {
    /// Whether a property gets a new field, because the values of the old one cannot be taken over.
    func replaces(_ old: FieldDefinition, with declared: DeclaredField) -> Bool {
        if (try? Conversion.check(old.type, declared.type)) == nil { return true }
        let type = declared.type.succeeding(old.type)
        if old.type.memberLosingFill(in: type) != nil { return true }
        return converted.contains(old.name) && !Conversion.haveSameBytes(old.type, declared.type)
    }
}

extension CatalogMerge {
    /// The fields of a type whose values a migration has to give.
    package struct Demands: Sendable, Hashable {
        /// Every row needs a value.
        package var fields: Set<FieldNumber> = []
        /// Of these, what a row without a value shows is made up.
        package var withoutFill: Set<FieldNumber> = []
        /// The properties that new ones may have been before, under another name.
        package var likelyFormer: [FieldNumber: String] = [:]
        /// Fields that others replace, or that go. Their values stay for the past, and no row has one any more.
        package var retired: Set<FieldNumber> = []
        /// Of these, the ones that go.
        package var removed: Set<FieldNumber> = []
        /// Relations that others replace, with these.
        package var narrowed: [RelationNumber: RelationNumber] = [:]
        /// Relations that go, and whose links stay for the past.
        package var joined: Set<RelationNumber> = []

        package init() {}
    }
}

extension FieldDefinition {
    /// The name of a field, or of a relation, that is kept for the past alone: the former name and the number.
    ///
    /// Where another member has that name, more `#` follow.
    package static func isRetired(_ name: String, _ number: UInt32) -> Bool {
        var end = name[...]
        while end.hasSuffix("#") { end.removeLast() }
        return end.hasSuffix("#\(number)")
    }

    /// Whether the field is kept for the past alone.
    package var isRetired: Bool { Self.isRetired(name, number.rawValue) }

    /// The field as one that another replaces: optional, so that rows give up their values.
    func retired(as name: String) -> FieldDefinition {
        var field = self
        field.name = name
        if case .optional = type {} else { field.type = .optional(type) }
        field.fill = [0]
        return field
    }
}

extension TypeDefinition {
    /// Whether a migration removed the type.
    package var isRetired: Bool { FieldDefinition.isRetired(name, number.rawValue) }
}

extension Catalog {
    /// A name that no member has, for one that was replaced: the former name and the number.
    static func retiredName(of name: String, _ number: UInt32, _ taken: Set<String>) -> String {
        var retired = "\(name)#\(number)"
        while taken.contains(retired) { retired += "#" }
        return retired
    }

    /// Takes what goes for good from definitions: of types that go everything but their ids and properties, and
    /// relations that lead to them or name what went as their other side.
    func remove(
        _ changes: DeclaredChanges, in merge: inout CatalogMerge, over former: Catalog
    ) {
        var newest = Dictionary(definitions.map { ($0.number, $0) }) { _, new in new }
        for definition in merge.resolved { newest[definition.number] = definition }
        follow(&newest, &merge)
        let removed = removedNumbers(changes).union(replacedTombstones(merge.successors))
        for (number, definition) in newest {
            var changed = definition
            if merge.successors[number] != nil {
                changed.retire()
            } else if removed.contains(number) {
                changed.name = "\(definition.name)#\(number)"
                changed.relations = []
            } else {
                let joined = merge.demands[number]?.joined ?? []
                changed.relations.removeAll {
                    removed.contains($0.target) && !joined.contains($0.number)
                }
                for index in changed.relations.indices {
                    let relation = changed.relations[index]
                    guard let inverse = relation.inverse else { continue }
                    let other = newest[relation.target]
                    if other?.position(of: inverse) == nil {
                        changed.relations[index].inverse = nil
                    }
                }
            }
            newest[number] = changed
        }
        for index in merge.resolved.indices {
            if let changed = newest[merge.resolved[index].number] {
                merge.resolved[index] = changed
            }
        }
        merge.definitions = newest.values.filter { former.definition(of: $0.number) != $0 }
            .sorted { $0.number < $1.number }
    }

    /// The numbers of types that go for good, with those that represent their deleted entities.
    func removedNumbers(_ changes: DeclaredChanges) -> Set<TypeNumber> {
        var numbers = Set(changes.removedTypes.compactMap { definition(named: $0)?.number })
        for definition in definitions {
            if let base = definition.tombstoneOf, numbers.contains(base) {
                numbers.insert(definition.number)
            }
        }
        return numbers
    }
}

extension StoredType {
    /// The bytes of some value: what rows of the past show where a property has none.
    var anyBytes: [UInt8] {
        if let neutralBytes { return neutralBytes }
        return switch self {
        case .uuid: [UInt8](repeating: 0, count: 16)
        case .url, .text, .json: [0]
        case .asset: AssetReference.noContent.bytes
        case .raw(_, let raw): raw.anyBytes
        case .structure(_, let fields): fields.flatMap { $0.type.anyBytes }
        case .enumeration(_, let cases):
            [0] + (cases.first?.payload.flatMap { $0.type.anyBytes } ?? [])
        default: []
        }
    }
}
