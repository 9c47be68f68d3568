/// Why a definition does not fit the catalog, or an app's types do not fit the log.
package indirect enum CatalogError: Error, Equatable, Sendable {
    // What a log can say wrongly
    /// A type number out of sequence.
    case typeNumberNotDense(type: String, found: TypeNumber, expected: TypeNumber)
    case duplicateTypeName(type: String)
    case duplicateMember(type: String, property: String)
    /// A field or relation number that is not above all that the type has used.
    case numberReused(type: String, property: String)
    case unknownTarget(type: String, property: String, target: TypeNumber)

    // What an app can declare that the log does not allow
    case idTypeChanged(type: String, from: StoredType, to: StoredType)
    /// Ids that name assets: no one looks for those in ids, so a compaction would remove their files.
    case assetInID(type: String, idType: StoredType)
    case fieldTypeChanged(
        type: String, property: String, from: StoredType, to: StoredType, reason: String)
    /// A new field that is neither optional nor has a default, so that old rows have no value.
    case newFieldNeedsDefault(type: String, property: String)
    /// A new field without a value for old rows, where the struct lacks a field whose values it could hold.
    case likelyRenamed(type: String, property: String, former: String)
    /// A field that the struct lacks, and that new rows could not be given a neutral value for.
    case requiredFieldMissing(type: String, property: String)
    case relationTargetChanged(type: String, property: String)
    case relationBecameToOne(type: String, property: String)
    case targetNotDeclared(type: String, property: String, target: String)
    case inverseNotFound(type: String, property: String, inverse: String)
}

extension CatalogError {
    /// What to write where a new property may be a former one.
    package static func rename(
        of former: String, to property: String, of type: String
    ) -> String {
        "if it is '\(former)' under a new name, write @PersistedName(\"\(former)\"), "
            + "or a migration .rename(\"\(former)\", of: \"\(type)\", to: \"\(property)\")"
    }

    /// The step that changes the type of a property.
    private static func step(
        _ property: String, of type: String, from old: StoredType, to new: StoredType
    ) -> String {
        if case .optional(new) = old {
            return ".fill(\"\(property)\", of: \"\(type)\", with: …)"
        }
        return
            ".convert(\"\(property)\", of: \"\(type)\", from: \(old).self, to: \(new).self) { … }"
    }
}

extension CatalogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .typeNumberNotDense(let type, let found, let expected):
            "type '\(type)' has number \(found) where \(expected) comes next"
        case .duplicateTypeName(let type):
            "two types are named '\(type)'"
        case .duplicateMember(let type, let property):
            "'\(type)' has '\(property)' twice"
        case .numberReused(let type, let property):
            "the number of '\(type).\(property)' was used before"
        case .unknownTarget(let type, let property, let target):
            "'\(type).\(property)' refers to type \(target), which is not defined"
        case .idTypeChanged(let type, let from, let to):
            "ids of '\(type)' are \(from) in the store and \(to) in the app"
        case .assetInID(let type, let idType):
            "ids of '\(type)' are \(idType), which holds an asset: give the entity another id, "
                + "and keep the asset in a property"
        case .fieldTypeChanged(let type, let property, let from, let to, let reason):
            "'\(type).\(property)' is \(from) in the store and \(to) in the app: \(reason); write a migration "
                + Self.step(property, of: type, from: from, to: to)
                + ", or .remove(\"\(property)\", of: \"\(type)\") if it is another property"
        case .newFieldNeedsDefault(let type, let property):
            "'\(type).\(property)' is new: make it optional, give it a default value, "
                + "or write a migration .fill(\"\(property)\", of: \"\(type)\", with: …)"
        case .likelyRenamed(let type, let property, let former):
            "'\(type).\(property)' is new and has no default: "
                + Self.rename(of: former, to: property, of: type)
                + "; else make it optional, give it a default value, "
                + "or write a migration .fill(\"\(property)\", of: \"\(type)\", with: …)"
        case .requiredFieldMissing(let type, let property):
            "'\(type).\(property)' is missing in the app and has no default for new entities: "
                + "declare it, or write a migration .remove(\"\(property)\", of: \"\(type)\")"
        case .relationTargetChanged(let type, let property):
            "'\(type).\(property)' refers to another type than in the store"
        case .relationBecameToOne(let type, let property):
            "'\(type).\(property)' is to-many in the store and to-one in the app: "
                + "write a migration .toOne(\"\(property)\", of: \"\(type)\", keeping: .first)"
        case .targetNotDeclared(let type, let property, let target):
            "'\(type).\(property)' refers to '\(target)', which is not registered"
        case .inverseNotFound(let type, let property, let inverse):
            "the inverse '\(inverse)' of '\(type).\(property)' does not exist"
        }
    }
}
