extension DeclaredChanges {
    /// Types, and their properties and relations, that get another name in the log.
    package struct Renames: Sendable, Hashable {
        /// By the former name.
        private var types: [String: String] = [:]
        /// By the former name of the type, then by the former name of the member.
        private var members: [String: [String: String]] = [:]

        package init() {}

        package var isEmpty: Bool { types.isEmpty && members.isEmpty }

        package mutating func rename(type former: String, to new: String) { types[former] = new }

        package mutating func rename(_ former: String, of type: String, to new: String) {
            members[type, default: [:]][former] = new
        }

        /// The name of a type behind all renames.
        package func newType(of former: String) -> String { types[former] ?? former }

        /// The name of a type before all renames; nil where the type of that name has another by now.
        package func formerType(of new: String) -> String? { Self.former(of: new, types) }

        /// The name of a member behind all renames; the type's is the former one.
        package func new(of former: String, _ type: String) -> String {
            members[type]?[former] ?? former
        }

        /// The name of a member before all renames, nil where the member of that name has another by now; the type's
        /// is the former one.
        package func former(of new: String, _ type: String) -> String? {
            Self.former(of: new, members[type] ?? [:])
        }

        private static func former(of new: String, _ renames: [String: String]) -> String? {
            renames.first { $0.value == new }?.key ?? (renames[new] == nil ? new : nil)
        }

        /// The definition with the new names.
        func apply(to definition: TypeDefinition, _ base: TypeDefinition?) -> TypeDefinition {
            var renamed = definition
            renamed.name = newType(of: definition.name)
            // A type of tombstones is called after that of their entities.
            if let base { renamed.name = "Deleted<\(newType(of: base.name))>" }
            let type = base?.name ?? definition.name
            for index in renamed.fields.indices {
                renamed.fields[index].name = new(of: renamed.fields[index].name, type)
            }
            for index in renamed.relations.indices {
                renamed.relations[index].name = new(of: renamed.relations[index].name, type)
            }
            return renamed
        }
    }
}

extension Catalog {
    /// The catalog with new names in the newest definitions.
    func renamed(_ renames: DeclaredChanges.Renames) throws(CatalogError) -> Catalog {
        var catalog = self
        for definition in definitions {
            let base = definition.tombstoneOf.flatMap { self.definition(of: $0) }
            let renamed = renames.apply(to: definition, base)
            try renamed.checkMembers()
            catalog.replaceNewest(with: renamed)
        }
        var names: Set<String> = []
        for definition in catalog.definitions where !names.insert(definition.name).inserted {
            throw .duplicateTypeName(type: definition.name)
        }
        return catalog
    }
}
