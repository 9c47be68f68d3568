/// What an index is for.
@usableFromInline
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
    @usableFromInline let path: SendablePath
    /// The path with `.desc`; nil where the index has no order.
    @usableFromInline let descendingPath: SendablePath?
    @usableFromInline let isDescending: Bool

    @usableFromInline
    init(path: SendablePath, descendingPath: SendablePath?, isDescending: Bool) {
        self.path = path
        self.descendingPath = descendingPath
        self.isDescending = isDescending
    }
}

/// One index of an entity type, as its declaration says, with the closures that read rows.
@usableFromInline
final class IndexDefinition<Entity: EntityModelProtocol>: AnyIndexDefinition, Sendable {
    /// What of it does not depend on the entity's type.
    @usableFromInline let outline: IndexOutline
    /// Where entries stand: by value, or by hash.
    @usableFromInline let content: Content
    /// What happens to a second row with the same values, where that is forbidden.
    @usableFromInline let uniqueness: Uniqueness<Entity>?

    /// Whether it is an index by hash of properties that have their values before an entity's hooks ran.
    @usableFromInline let isForeseeable: Bool

    @usableFromInline
    enum Content: Sendable {
        case ordered([_OrderedProperty<Entity>])
        case hashed([_HashedProperty<Entity>])
        /// Not in a tree: by the words of the texts.
        case text([TextField])

        var isHashed: Bool {
            if case .hashed = self { true } else { false }
        }
    }

    /// The key of a row. It is exact where rows with equal keys have equal values in everything
    /// that orders them; rows of one hash are not ordered among themselves, so hashes are.
    @usableFromInline let key: @Sendable (UnsafePointer<Entity>) -> (key: UInt64, isExact: Bool)
    /// Whether two rows have the same values, so that an entry of one serves the other.
    @usableFromInline let isSame: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Bool

    /// Finds another row with a row's values; see ``Table/rival(of:at:in:_:noting:)``.
    ///
    /// A closure of the definition, so that types without a unique index, such as all tombstones, have no code for it.
    @usableFromInline let rival: RivalSearch

    @usableFromInline typealias RivalSearch =
        @Sendable (
            Table<Entity>, _ index: Int, UnsafePointer<Entity>, Slot?, ForeseenKey<Entity>?,
            inout KnownKey
        ) -> Slot?

    @usableFromInline typealias Access = (
        key: @Sendable (UnsafePointer<Entity>) -> (key: UInt64, isExact: Bool),
        isSame: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Bool
    )

    /// Inlinable, so that the closures are made where the entity's type is known: every save
    /// calls them.
    @inlinable
    convenience init(
        name: String, kind: IndexKind, content: Content, uniqueness: Uniqueness<Entity>? = nil
    ) {
        let access: Access
        switch content {
        case .ordered(let properties): access = IndexDefinition.access(to: properties)
        case .hashed(let properties): access = IndexDefinition.access(to: properties)
        case .text(let fields): access = IndexDefinition.access(to: fields)
        }
        self.init(
            name, kind, content, access, uniqueness,
            postings: { table, index, bounds in
                unsafeDowncast(table, to: Table<Entity>.self).postings(of: index, in: bounds)
            },
            build: { table, index in
                unsafeDowncast(table, to: Table<Entity>.self).builtIndex(index)
            },
            rival: { table, index, row, slot, foreseen, known in
                table.rival(of: row, at: slot, in: index, foreseen, noting: &known)
            })
    }

    @usableFromInline
    init(
        _ name: String, _ kind: IndexKind, _ content: Content, _ access: Access,
        _ uniqueness: Uniqueness<Entity>?, postings: @escaping IndexOutline.LookUp,
        build: @escaping IndexOutline.Build, rival: @escaping RivalSearch
    ) {
        self.content = content
        self.uniqueness = uniqueness
        self.rival = rival
        (key, isSame) = access
        isForeseeable =
            if case .hashed(let properties) = content { properties.allSatisfy(\.isStored) } else {
                false
            }
        let components =
            switch content {
            case .ordered(let properties): properties.map(\.component)
            case .hashed(let properties): properties.map(\.component)
            case .text(let fields):
                fields.map {
                    IndexComponent(
                        path: SendablePath($0.path), descendingPath: nil, isDescending: false)
                }
            }
        precondition(
            (1...4).contains(components.count), "\(Entity.self).\(name) needs 1 to 4 properties")
        let textFields: [TextField]? = if case .text(let fields) = content { fields } else { nil }
        outline = IndexOutline(
            name: name, kind: kind, components: components, textFields: textFields,
            isUniqueByHash: uniqueness != nil && content.isHashed, postings: postings, build: build)
    }

    /// The closures of the one property themselves, or closures around those of several.
    @inlinable
    static func access(to properties: [_OrderedProperty<Entity>]) -> Access {
        if properties.count == 1 { return (properties[0].key, properties[0].isSame) }
        let first = properties[0].key
        let tests = properties.map(\.isSame)
        return (
            { (first($0).key, false) },
            { first, second in tests.allSatisfy { $0(first, second) } }
        )
    }

    @usableFromInline
    static func access(to fields: [TextField]) -> Access {
        ({ _ in (0, true) }, { fields.haveEqualTexts(in: $0, and: $1) })
    }

    @inlinable
    static func access(to properties: [_HashedProperty<Entity>]) -> Access {
        let tests = properties.map(\.isSame)
        var isSame = tests[0]
        if tests.count > 1 { isSame = { a, b in tests.allSatisfy { $0(a, b) } } }
        let hashes = properties.map(\.hash)
        if hashes.count == 1 {
            let hash = hashes[0]
            return ({ (hash($0), true) }, isSame)
        }
        return (
            { row in
                var hasher = Hasher()
                for hash in hashes { hasher.combine(hash(row)) }
                return (ValueHash.finish(hasher), true)
            }, isSame
        )
    }

    /// Compares two rows by the first `depth` components. Rows of a hashed index are all equal.
    @inlinable
    func compare(
        _ first: UnsafePointer<Entity>, _ second: UnsafePointer<Entity>, depth: Int = .max
    ) -> Int {
        guard case .ordered(let properties) = content else { return 0 }
        for position in 0..<min(depth, properties.count) {
            let order = properties[position].compare(first, second)
            if order != 0 { return order }
        }
        return 0
    }
}

/// An index definition without its entity's type.
@usableFromInline
protocol AnyIndexDefinition: AnyObject, Sendable {
    var outline: IndexOutline { get }
}

extension AnyIndexDefinition {
    @usableFromInline var name: String { outline.name }
    @usableFromInline var kind: IndexKind { outline.kind }
    @usableFromInline var components: [IndexComponent] { outline.components }
    @usableFromInline var textFields: [TextField]? { outline.textFields }
}

/// What the planner knows of an index.
@usableFromInline
final class IndexOutline: Sendable {
    /// Finds what may lie within bounds; see ``Table/postings(of:in:)``. The table is of the index's
    /// entity type.
    @usableFromInline
    typealias LookUp = @Sendable (AnyTable, _ index: Int, IndexBounds) -> PostingRange?

    /// Makes the content from the rows of a table of the index's entity type; see ``Table/builtIndex(_:)``.
    @usableFromInline typealias Build = @Sendable (AnyTable, _ index: Int) -> IndexContent

    /// The name of the property that declares it.
    let name: String
    let kind: IndexKind
    let components: [IndexComponent]
    /// The properties of a full-text index; nil for every other.
    let textFields: [TextField]?
    /// Whether it is a constraint on values that are told apart by their hashes.
    @usableFromInline let isUniqueByHash: Bool
    let postings: LookUp
    let build: Build

    init(
        name: String, kind: IndexKind, components: [IndexComponent], textFields: [TextField]?,
        isUniqueByHash: Bool, postings: @escaping LookUp, build: @escaping Build
    ) {
        self.name = name
        self.kind = kind
        self.components = components
        self.textFields = textFields
        self.isUniqueByHash = isUniqueByHash
        self.postings = postings
        self.build = build
    }
}

/// The constraint of a unique index.
@usableFromInline
struct Uniqueness<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let resolver: CollisionResolver<Entity>
    /// The values of an entity as they are shown; nil where one of them is nil.
    @usableFromInline let value: @Sendable (Entity) -> Any?

    @usableFromInline
    init(
        resolver: CollisionResolver<Entity>, value: @escaping @Sendable (Entity) -> Any?
    ) {
        self.resolver = resolver
        self.value = value
    }
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
