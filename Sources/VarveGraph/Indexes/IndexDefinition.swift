/// What an index is for.
enum IndexKind: Sendable {
    /// `@Index`: in the order of the values.
    case ordered
    /// `@HashIndex`: by equality of all components.
    case hash
    /// `@Unique`: by equality of all components, and a constraint.
    case unique
    /// `@FullTextIndex`
    case text
}

/// One property of an index, without its type.
@usableFromInline
struct IndexComponent: Sendable {
    /// The path in ascending direction.
    let path: SendablePath
    /// The path with `.desc`; nil where the index has no order.
    let descendingPath: SendablePath?
    let isDescending: Bool

    @usableFromInline
    init(path: SendablePath, descendingPath: SendablePath?, isDescending: Bool) {
        self.path = path
        self.descendingPath = descendingPath
        self.isDescending = isDescending
    }
}

/// One index of an entity type, as its declaration says, with the closures that read rows at their addresses.
@usableFromInline
final class IndexDefinition: Sendable {
    /// The name of the property that declares it.
    let name: String
    let kind: IndexKind
    /// What entries are ordered by: the values, or their hashes.
    let content: Content
    let components: [IndexComponent]
    /// The properties of a full-text index; nil for every other.
    let textFields: [TextField]?
    /// What happens to a second row with the same values, where that is forbidden.
    let uniqueness: Uniqueness?

    enum Content: Sendable {
        case ordered([OrderedColumn])
        case hashed([HashedColumn])
        /// Not in a tree: by the words of the texts.
        case text([TextField])

        var isHashed: Bool {
            if case .hashed = self { true } else { false }
        }

        fileprivate var components: [IndexComponent] {
            switch self {
            case .ordered(let columns): columns.map(\.component)
            case .hashed(let columns): columns.map(\.component)
            case .text(let fields):
                fields.map {
                    IndexComponent(
                        path: SendablePath($0.path), descendingPath: nil, isDescending: false)
                }
            }
        }
    }

    /// The key of a row. It is exact where rows with equal keys have equal values in everything
    /// that orders them; rows of one hash are not ordered among themselves, so hashes are.
    @usableFromInline let key: OrderedColumn.Key
    /// Whether two rows have the same values, so that an entry of one serves the other.
    let isSame: OrderedColumn.Test

    private typealias Access = (key: OrderedColumn.Key, isSame: OrderedColumn.Test)

    init(name: String, kind: IndexKind, content: Content, uniqueness: Uniqueness? = nil) {
        self.name = name
        self.kind = kind
        self.content = content
        self.uniqueness = uniqueness
        components = content.components
        precondition((1...4).contains(components.count), "\(name) needs 1 to 4 properties")
        switch content {
        case .ordered(let columns):
            (key, isSame) = Self.access(to: columns)
            textFields = nil
        case .hashed(let columns):
            (key, isSame) = Self.access(to: columns)
            textFields = nil
        case .text(let fields):
            (key, isSame) = ({ _ in (0, true) }, { fields.haveEqualTexts(in: $0, and: $1) })
            textFields = fields
        }
    }

    /// Whether it is a unique constraint whose entries are found by the hash of the values.
    var isUniqueByHash: Bool { uniqueness != nil && content.isHashed }

    /// Whether it is an index by hash of properties that have their values before an entity's hooks ran.
    @usableFromInline var isForeseeable: Bool {
        if case .hashed(let columns) = content { columns.allSatisfy(\.isStored) } else { false }
    }

    /// The closures of the one property themselves, or closures around those of several.
    private static func access(to columns: [OrderedColumn]) -> Access {
        if columns.count == 1 { return (columns[0].key, columns[0].isSame) }
        let first = columns[0].key
        return (
            { (first($0).key, false) },
            { first, second in columns.indices.allSatisfy { columns[$0].isSame(first, second) } }
        )
    }

    private static func access(to columns: [HashedColumn]) -> Access {
        if columns.count == 1 {
            // Not out of an array of functions: each call of such a one goes through a conversion.
            let hash = columns[0].hash
            return ({ (hash($0), true) }, columns[0].isSame)
        }
        return (
            { row in
                var hasher = Hasher()
                for position in columns.indices { hasher.combine(columns[position].hash(row)) }
                return (ValueHash.finish(hasher), true)
            },
            { first, second in columns.indices.allSatisfy { columns[$0].isSame(first, second) } }
        )
    }

    /// Compares two rows by the first `depth` components. Rows of a hashed index are all equal.
    func compare(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, depth: Int = .max) -> Int {
        guard case .ordered(let columns) = content else { return 0 }
        for position in 0..<min(depth, columns.count) {
            let order = columns[position].compare(first, second)
            if order != 0 { return order }
        }
        return 0
    }
}

/// The constraint of a unique index.
struct Uniqueness: Sendable {
    /// A ``CollisionResolver`` of the entity's type.
    let resolver: any Sendable
    let ignoresNil: Bool
    /// The values of an entity as they are shown; nil where one of them is nil.
    let value: @Sendable (UnsafeRawPointer) -> Any?

    /// Whether the constraint does not hold for an entity, as one of its values is nil.
    func ignoresNil(in entity: UnsafeRawPointer) -> Bool { ignoresNil && value(entity) == nil }
}

extension [TextField] {
    fileprivate func haveEqualTexts(
        in first: UnsafeRawPointer, and second: UnsafeRawPointer
    ) -> Bool {
        // By bytes: texts that are equal to Swift need not have the same tokens.
        allSatisfy { field in
            guard let text = field.text(in: first), let other = field.text(in: second) else {
                return field.text(in: first) == nil && field.text(in: second) == nil
            }
            return text.utf8.elementsEqual(other.utf8)
        }
    }
}
