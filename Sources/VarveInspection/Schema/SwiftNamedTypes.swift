/// The types inside entities that have a name of their own, each with one in Swift.
struct SwiftNamedTypes {
    struct Named {
        let type: StoredType
        /// In Swift.
        let name: String
        /// Whether the source has to say how it is stored, because the library would store it otherwise.
        var needsStorable = false
    }

    /// In the order in which they are met.
    private(set) var all: [Named] = []
    private var positions: [StoredType: Int] = [:]
    private var taken: Set<String>

    /// - Parameter taken: names of the entities.
    init(of types: [InspectedType], taken: Set<String>) {
        self.taken = taken
        for type in types {
            collect(type.idForm, isStorable: false)
            for field in type.fields { collect(field.form, isStorable: field.rung == .storable) }
        }
    }

    var holdsJSON: Bool {
        all.contains { if case .json = $0.type { true } else { false } }
    }

    func name(of type: StoredType) -> String { positions[type].map { all[$0].name } ?? "\(type)" }

    /// - Parameter isStorable: whether the program's own type says how it is stored. Of members nothing is known.
    private mutating func collect(_ type: StoredType, isStorable: Bool) {
        switch type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float,
            .double, .string,
            .data, .date, .uuid, .url, .decimal, .asset:
            break
        case .optional(let wrapped), .array(let wrapped), .set(let wrapped):
            collect(wrapped, isStorable: isStorable)
        case .dictionary(let key, let value):
            collect(key, isStorable: isStorable)
            collect(value, isStorable: isStorable)
        case .structure(let name, let fields):
            guard add(type, name) else { return }
            for field in fields { collect(field.type, isStorable: false) }
        case .enumeration(let name, let cases):
            guard add(type, name) else { return }
            for field in cases.flatMap(\.payload) { collect(field.type, isStorable: false) }
        case .raw(let name, let raw):
            _ = add(type, name, needsStorable: isStorable)
            // A raw value is `Storable` itself, or its type would be stored otherwise.
            collect(raw, isStorable: true)
        case .text(let name): _ = add(type, name, needsStorable: true)
        case .json(let name): _ = add(type, name)
        }
    }

    /// False for one that was met before.
    private mutating func add(_ type: StoredType, _ persisted: String, needsStorable: Bool = false)
        -> Bool
    {
        if let position = positions[type] {
            all[position].needsStorable = all[position].needsStorable || needsStorable
            return false
        }
        let name = SwiftIdentifiers.type(persisted, suffix: "Value", taken: &taken)
        positions[type] = all.count
        all.append(Named(type: type, name: name, needsStorable: needsStorable || name != persisted))
        return true
    }
}
